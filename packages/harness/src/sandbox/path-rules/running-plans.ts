/** Which commands run with which plan: one that starts must find the places that it holds held by all beside it. */
import { isWithin } from "../../base/virtual-path.js";
import type { SandboxMount } from "../contract.js";
import type { Alias, HeldLink } from "./contract.js";

export interface RunningPlan {
  readonly mounts: readonly SandboxMount[];
  readonly fingerprint: string;
  readonly aliases: readonly Alias[];
  readonly links: readonly HeldLink[];
}

interface Entry {
  readonly plan: RunningPlan;
  readonly ended: Promise<void>;
}

/** Of one provider. */
export class RunningPlans {
  readonly #entries = new Set<Entry>();

  /** Those that can write where `mounts` lie. */
  beside(mounts: readonly SandboxMount[]): readonly RunningPlan[] {
    return this.#beside(mounts).map(({ plan }) => plan);
  }

  /**
   * The end of a command beside it that holds other places, and so could put links where these are about to be
   * mounted. Undefined when there is none.
   */
  obstacle(mounts: readonly SandboxMount[], fingerprint: string): Promise<void> | undefined {
    return this.#beside(mounts).find(({ plan }) => plan.fingerprint !== fingerprint)?.ended;
  }

  /** @returns what is to be called when the command has ended */
  add(plan: RunningPlan): () => void {
    let end: () => void = () => undefined;
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    const entry = { plan, ended };
    this.#entries.add(entry);
    return () => {
      this.#entries.delete(entry);
      end();
    };
  }

  #beside(mounts: readonly SandboxMount[]): readonly Entry[] {
    return [...this.#entries].filter(({ plan }) => plan.mounts.some((other) => overlaps(other, mounts)));
  }
}

const overlaps = (other: SandboxMount, mounts: readonly SandboxMount[]): boolean =>
  other.mode === "read-write" &&
  mounts.some(({ hostPath }) => isWithin(hostPath, other.hostPath) || isWithin(other.hostPath, hostPath));
