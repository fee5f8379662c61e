/** How much one mirroring carries at most, each way; what is over it is left out and said. */
export const MIRROR_CAPS = Object.freeze({
  fileBytes: 100 * 1024 * 1024,
  totalBytes: 512 * 1024 * 1024,
  files: 2000,
  seconds: 120,
  /** Files and folders that are looked at on one side. */
  entries: 20_000,
});

export type MirrorCaps = Readonly<Record<keyof typeof MIRROR_CAPS, number>>;

const inMebibytes = (bytes: number): string => `${Math.round(bytes / 1024 / 1024)} MiB`;

/** What is left of the caps while a mirroring runs. */
export class MirrorBudget {
  #bytes: number;
  #files: number;
  readonly #caps: MirrorCaps;
  readonly #until: number;

  constructor(caps: MirrorCaps, now = performance.now()) {
    this.#caps = caps;
    this.#bytes = caps.totalBytes;
    this.#files = caps.files;
    this.#until = now + caps.seconds * 1000;
  }

  /** Takes a file of this size out of the budget; otherwise says why it is left out. */
  refuse(size: number, now = performance.now()): string | undefined {
    const { fileBytes, totalBytes, files, seconds } = this.#caps;
    if (size > fileBytes) return `they are over ${inMebibytes(fileBytes)}`;
    if (now > this.#until) return `copying took more than ${seconds} seconds`;
    if (this.#files < 1) return `more than ${files} files changed at once`;
    if (size > this.#bytes) return `more than ${inMebibytes(totalBytes)} changed at once`;
    this.#files -= 1;
    this.#bytes -= size;
    return undefined;
  }
}
