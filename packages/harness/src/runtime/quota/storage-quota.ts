/** Holds threads and users to the bytes that they may keep. */
import { type Clock, systemClock } from "../../base/clock.js";
import { DeerflowError } from "../../base/errors.js";
import { KeyedLock } from "../../base/keyed-lock.js";
import { RecentMap } from "../../base/recent-map.js";
import type { Principal } from "../../context/principal.js";
import type { FileBackend } from "../../filesystem/contract.js";
import type { Persistence, ThreadRecord } from "../../persistence/contract.js";
import { DEFAULT_USAGE_BOUNDS, measureThread, type ThreadUsage, type UsageBounds } from "./thread-usage.js";

/** Bytes; 0 for no limit. */
export interface QuotaLimits {
  readonly threadBytes: number;
  readonly userBytes: number;
}

export interface StorageQuotaOptions {
  readonly persistence: Pick<Persistence, "threads" | "checkpointer">;
  /** Read at each look, so that an edit of the configuration counts at once. */
  readonly limits: () => QuotaLimits;
  /** The file tree of a thread. */
  readonly files: (principal: Principal, threadId: string) => Promise<FileBackend>;
  readonly bounds?: UsageBounds;
  readonly clock?: Clock;
}

/** What a quota that is too small says: it goes out with the error. */
export interface QuotaNumbers {
  readonly scope: "thread" | "user";
  readonly used: number;
  readonly wouldBe: number;
  readonly limit: number;
}

/** What another thread was found to keep. */
interface Remembered {
  readonly bytes: number;
  /** The row's `updatedAt` then: a run touches it, whichever process works on it. */
  readonly updatedAt: number;
  readonly measuredAt: number;
}

/** An upload to another process does not touch the row, so a memory is renewed after a while. */
const REMEMBERED_MILLISECONDS = 10 * 60 * 1000;
const REMEMBERED_THREADS = 10_000;
const THREADS_A_PAGE = 500;

export class StorageQuota {
  readonly #options: StorageQuotaOptions;
  readonly #clock: Clock;
  readonly #turns = new KeyedLock();
  readonly #remembered = new RecentMap<string, Remembered>(REMEMBERED_THREADS);

  constructor(options: StorageQuotaOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
  }

  get limits(): QuotaLimits {
    return this.#options.limits();
  }

  /** What a thread of the principal's keeps now. Asks nobody whether it exists. */
  async usage(principal: Principal, threadId: string): Promise<ThreadUsage> {
    const { persistence, files, bounds = DEFAULT_USAGE_BOUNDS } = this.#options;
    const saver = persistence.checkpointer(principal);
    return measureThread({ files: await files(principal, threadId), saver, threadId }, bounds);
  }

  /** Bytes of all threads of a user. */
  async userBytes(principal: Principal): Promise<number> {
    return this.#sum(principal, await this.#threadsOf(principal));
  }

  /**
   * Runs what adds `bytes` to a thread, if they fit. All such work of a user takes turns, so that two that fit alone
   * cannot come in together; a second process has turns of its own.
   * @param work gets what throws `quota_exceeded` when all that it has added so far is too much; what it throws comes out
   * @throws DeerflowError `quota_exceeded`, before anything was done
   */
  async admit<T>(
    principal: Principal,
    { threadId, bytes }: { readonly threadId: string; readonly bytes: number },
    work: (requireRoom: (added: number) => void) => Promise<T>,
  ): Promise<T> {
    if (!this.#isOn) return work(() => undefined);
    return this.#turns.hold(`${principal.tenantId}/${principal.userId}`, async () => {
      const numbers = await this.#look(principal, threadId, bytes);
      throwIfOver(threadId, numbers);
      try {
        return await work((added) =>
          throwIfOver(
            threadId,
            numbers.map((each) => ({ ...each, wouldBe: each.used + added })),
          ),
        );
      } finally {
        this.forget(principal, threadId);
      }
    });
  }

  /** @throws DeerflowError `quota_exceeded` when `bytes` more do not fit into the thread, or into what its user may keep */
  async requireRoom(principal: Principal, threadId: string, bytes: number): Promise<void> {
    if (this.#isOn) throwIfOver(threadId, await this.#look(principal, threadId, bytes));
  }

  /** To be called when files of a thread were removed or added in another way. */
  forget(principal: Principal, threadId: string): void {
    this.#remembered.delete(keyOf(principal, threadId));
  }

  get #isOn(): boolean {
    const { threadBytes, userBytes } = this.limits;
    return threadBytes > 0 || userBytes > 0;
  }

  async #look(principal: Principal, threadId: string, bytes: number): Promise<readonly QuotaNumbers[]> {
    const { threadBytes, userBytes } = this.limits;
    const own = await this.#ownBytes(principal, threadId);
    const numbers: QuotaNumbers[] = [];
    if (threadBytes > 0)
      numbers.push({ scope: "thread", used: own, wouldBe: own + bytes, limit: threadBytes });
    if (userBytes > 0) {
      const others = (await this.#threadsOf(principal)).filter((thread) => thread.threadId !== threadId);
      const used = own + (await this.#sum(principal, others));
      numbers.push({ scope: "user", used, wouldBe: used + bytes, limit: userBytes });
    }
    return numbers;
  }

  /** Files may lie there before the row does: a run makes it only when it starts. */
  async #ownBytes(principal: Principal, threadId: string): Promise<number> {
    const known = await this.#options.persistence.threads.find(principal, threadId);
    const { total, checkpoints } = await this.usage(principal, threadId);
    // The checkpoints may be those of somebody else's thread, whose numbers are not this user's to know.
    return known === undefined ? total - checkpoints : total;
  }

  async #threadsOf(principal: Principal): Promise<readonly ThreadRecord[]> {
    const all: ThreadRecord[] = [];
    for (let more = true; more; ) {
      const page = {
        limit: THREADS_A_PAGE,
        offset: all.length,
        sortBy: "thread_id",
        sortOrder: "asc",
      } as const;
      const found = await this.#options.persistence.threads.search(principal, page);
      all.push(...found);
      more = found.length === THREADS_A_PAGE;
    }
    return all;
  }

  /** One after the other: a user's many threads must not take the disk from everybody else. */
  async #sum(principal: Principal, threads: readonly ThreadRecord[]): Promise<number> {
    let sum = 0;
    for (const thread of threads) sum += await this.#bytesOf(principal, thread);
    return sum;
  }

  async #bytesOf(principal: Principal, { threadId, updatedAt, status }: ThreadRecord): Promise<number> {
    const key = keyOf(principal, threadId);
    const known = this.#remembered.get(key);
    const now = this.#clock.now();
    const isFresh =
      known !== undefined &&
      known.updatedAt === updatedAt &&
      now - known.measuredAt < REMEMBERED_MILLISECONDS &&
      status !== "busy";
    if (isFresh) return known.bytes;
    const { total } = await this.usage(principal, threadId);
    this.#remembered.set(key, { bytes: total, updatedAt, measuredAt: now });
    return total;
  }
}

const keyOf = ({ tenantId, userId }: Principal, threadId: string): string =>
  `${tenantId}/${userId}/${threadId}`;

function throwIfOver(threadId: string, numbers: readonly QuotaNumbers[]): void {
  const over = numbers.find(({ wouldBe, limit }) => wouldBe > limit);
  if (over !== undefined) throw quotaExceeded(threadId, over);
}

/** The error that names the numbers, for a person in its sentence and for a program in its details. */
export const quotaExceeded = (
  threadId: string,
  { scope, used, wouldBe, limit }: QuotaNumbers,
): DeerflowError =>
  new DeerflowError("quota_exceeded", {
    whose: scope === "thread" ? `Thread ${threadId}` : "Your threads together",
    used,
    bytes: wouldBe,
    limit,
    scope,
    setting: scope === "thread" ? "quota.thread_bytes" : "quota.user_bytes",
  });
