/** Numbers that both kinds of control groups share. */
export const MEBIBYTE = 1024 * 1024;

/** Of a hundredth of a second, the kernel's default. */
export const CPU_PERIOD_MICROSECONDS = 100_000;

/** The sandbox's own in the group of its command: bubblewrap, and the launcher that is process 1. */
export const SPARE_PROCESSES = 2;
