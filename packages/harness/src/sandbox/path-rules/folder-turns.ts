/**
 * Who runs in which host folders. Places are held by their paths, so a command that starts under rules must find them
 * held by all that can write beside it: who holds nothing, or other places, could put a link where they are about to
 * be mounted.
 */
import { ABORTED, orAborted } from "../../base/abort.js";
import { isWithin } from "../../base/virtual-path.js";
import type { SandboxMount } from "../contract.js";
import type { PathPlan } from "./contract.js";

/** A command's turn in its folders. */
export interface FolderTurn {
  /** To be called when everything of the command is dead. */
  end(): void;
}

export interface TurnRequest {
  /** Resolved. */
  readonly mounts: readonly SandboxMount[];
  readonly signal?: AbortSignal | undefined;
  /** Called when it begins to wait for another command. */
  readonly onWait?: (() => void) | undefined;
}

/** Looks at the tree. `beside` are the plans of those that run on meanwhile. */
export type MakePlan = (beside: readonly PathPlan[]) => Promise<PathPlan>;

/** One that runs or waits. Each waits only for those that came before it, so that everybody's turn comes. */
interface Claim {
  readonly mounts: readonly SandboxMount[];
  readonly isRuled: boolean;
  /** Undefined while it waits or looks at the tree, and where it holds nothing. */
  plan: PathPlan | undefined;
  /** Resolved when it holds its places, or has ended. */
  readonly decided: Gate;
  readonly ended: Gate;
}

interface Gate {
  readonly opened: Promise<void>;
  open(): void;
}

export class FolderTurns {
  /** In the order in which they came. */
  readonly #claims = new Set<Claim>();

  /** For a command that no rules bind: beside others of its kind, and after those with rules. @throws the signal's reason */
  async free(request: TurnRequest): Promise<FolderTurn> {
    const claim = this.#claim(request.mounts, false);
    try {
      const ruled = this.#before(claim).filter(({ isRuled }) => isRuled);
      await waitFor(ruled.map(ended), request);
      return { end: () => this.#end(claim) };
    } catch (error) {
      this.#end(claim);
      throw error;
    }
  }

  /**
   * For a command under rules: beside others that hold the same places, and after all others. While it looks at the
   * tree nobody starts.
   * @throws whatever `makePlan` throws; the signal's reason
   */
  async ruled(request: TurnRequest, makePlan: MakePlan): Promise<FolderTurn & { readonly plan: PathPlan }> {
    const claim = this.#claim(request.mounts, true);
    try {
      const undecided = this.#before(claim).filter(({ plan }) => plan === undefined);
      await waitFor(
        undecided.map((other) => (other.isRuled ? other.decided.opened : ended(other))),
        request,
      );
      for (;;) {
        // Who ran when the tree was looked at may have changed it, even if it has ended by then.
        const beside = this.#before(claim);
        const plan = await makePlan(beside.flatMap((other) => other.plan ?? []));
        const differing = beside.filter((other) => !holdsAlike(other, { ...claim, plan }));
        if (differing.length === 0) {
          claim.plan = plan;
          claim.decided.open();
          return { plan, end: () => this.#end(claim) };
        }
        await waitFor(differing.map(ended), request);
      }
    } catch (error) {
      this.#end(claim);
      throw error;
    }
  }

  #claim(mounts: readonly SandboxMount[], isRuled: boolean): Claim {
    const claim = { mounts, isRuled, plan: undefined, decided: gate(), ended: gate() };
    this.#claims.add(claim);
    return claim;
  }

  /** Those that came earlier to folders that it shares with them. */
  #before(claim: Claim): readonly Claim[] {
    const claims = [...this.#claims];
    return claims.slice(0, claims.indexOf(claim)).filter((other) => shared(other, claim).length > 0);
  }

  #end(claim: Claim): void {
    this.#claims.delete(claim);
    claim.decided.open();
    claim.ended.open();
  }
}

/** Of this process: what several processes do in one folder is not seen. */
export const FOLDER_TURNS = new FolderTurns();

const ended = (claim: Claim): Promise<void> => claim.ended.opened;

async function waitFor(others: readonly Promise<void>[], { signal, onWait }: TurnRequest): Promise<void> {
  signal?.throwIfAborted();
  if (others.length === 0) return;
  onWait?.();
  const all = Promise.all(others);
  if (signal === undefined) await all;
  else if ((await orAborted(all, signal)) === ABORTED) throw signal.reason;
}

function gate(): Gate {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

/** Whether neither can change what the other holds. */
const holdsAlike = (one: Claim, other: Claim): boolean =>
  shared(one, other).every(
    ([mine, its]) =>
      mine.virtualPath === its.virtualPath &&
      mine.hostPath === its.hostPath &&
      mine.mode === its.mode &&
      heldIn(one, mine) === heldIn(other, its),
  );

const heldIn = ({ plan }: Claim, { virtualPath }: SandboxMount): string | undefined =>
  plan?.fingerprints.get(virtualPath);

/** The mounts through which one can change what the other sees. */
const shared = (one: Claim, other: Claim): readonly (readonly [SandboxMount, SandboxMount])[] =>
  one.mounts.flatMap((mine) =>
    other.mounts.filter((its) => meet(mine, its)).map((its) => [mine, its] as const),
  );

const meet = (one: SandboxMount, other: SandboxMount): boolean =>
  (one.mode === "read-write" || other.mode === "read-write") &&
  (isWithin(one.hostPath, other.hostPath) || isWithin(other.hostPath, one.hostPath));
