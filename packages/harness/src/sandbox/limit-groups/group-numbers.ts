/** Numbers that both kinds of control groups share. */
export const MEBIBYTE = 1024 * 1024;

/** Of a hundredth of a second, the kernel's default. */
export const CPU_PERIOD_MICROSECONDS = 100_000;

/** The sandbox's own: bubblewraps, launcher, shell, and the bridge to the network with its connections. */
export const SPARE_PROCESSES = 80;
