/** What one command may use. The kernel keeps these limits for each process; nothing can raise them inside. */
export interface CommandLimits {
  /** Seconds of wall-clock time for the whole command, unless the request says otherwise. */
  readonly wallSeconds: number;
  /** Seconds of processor time of one process. */
  readonly cpuSeconds: number;
  /** Mebibytes of private writable memory of one process. */
  readonly memoryMebibytes: number;
  /** Mebibytes of address space of one process. Node reserves some 10 GiB for every WebAssembly memory. */
  readonly addressSpaceMebibytes: number;
  /** Mebibytes of the largest file that a process may write. */
  readonly fileMebibytes: number;
  /** Open files of one process. */
  readonly openFiles: number;
  /** Processes in the sandbox. The kernel does not count them for a host process that runs as root. */
  readonly processes: number;
  /** Processors that a command may keep busy; 0 for all. Kept by a control group only. */
  readonly processors: number;
  /** Mebibytes of the temporary folder, which lives in memory. */
  readonly temporaryMebibytes: number;
  /** Mebibytes of the disk behind a writable mount that must stay free; a command that takes more is ended. */
  readonly freeDiskMebibytes: number;
  /** Characters of output that are kept. */
  readonly outputCharacters: number;
}

export const DEFAULT_LIMITS: CommandLimits = Object.freeze({
  wallSeconds: 600,
  cpuSeconds: 600,
  memoryMebibytes: 2048,
  addressSpaceMebibytes: 32_768,
  fileMebibytes: 1024,
  openFiles: 1024,
  processes: 256,
  processors: 0,
  temporaryMebibytes: 256,
  freeDiskMebibytes: 512,
  outputCharacters: 100_000,
});

/** Names that shells have for one limit, and its value in the units that they want. */
interface KernelLimit {
  readonly options: readonly string[];
  /** @param blockBytes what the shell counts files in */
  value(limits: CommandLimits, blockBytes: number): number;
}

const MEBIBYTE = 1024 * 1024;

const KERNEL_LIMITS: readonly KernelLimit[] = [
  { options: ["t"], value: (limits) => limits.cpuSeconds },
  { options: ["d"], value: (limits) => limits.memoryMebibytes * 1024 },
  { options: ["v"], value: (limits) => limits.addressSpaceMebibytes * 1024 },
  { options: ["f"], value: (limits, blockBytes) => (limits.fileMebibytes * MEBIBYTE) / blockBytes },
  { options: ["n"], value: (limits) => limits.openFiles },
  // The second is dash's. The first goes first, because bash knows the second too, as something else.
  { options: ["u", "p"], value: (limits) => limits.processes },
  { options: ["c"], value: () => 0 },
];

/** What a shell counts files in: bash 1024 bytes, and any shell that is called `sh` 512. */
const BLOCK_BYTES = { bash: 1024, sh: 512 } as const;

/**
 * Shell lines that lower the limits of the shell they run in. A line fails only where the present hard limit
 * is lower already, so a failure leaves the stricter one in place.
 */
export const limitLines = (limits: CommandLimits, shell: keyof typeof BLOCK_BYTES = "bash"): string =>
  KERNEL_LIMITS.map(({ options, value }) =>
    options
      .slice(0, shell === "bash" ? 1 : undefined)
      .map((option) => `ulimit -${option} ${value(limits, BLOCK_BYTES[shell])} 2>/dev/null`)
      .join(" || "),
  ).join("\n");
