/** Numbers, sizes and times as people write them. */

const SIZE_UNITS = ["B", "kB", "MB", "GB"] as const;

/** In steps of 1,024, as limits are set. @example formatSize(15_300) // "14.9 kB" */
export function formatSize(bytes: number): string {
  const step = Math.min(SIZE_UNITS.length - 1, bytes < 1 ? 0 : Math.floor(Math.log2(bytes) / 10));
  const value = bytes / 1024 ** step;
  return `${Number(value.toFixed(value < 100 ? 1 : 0))} ${SIZE_UNITS[step]}`;
}

/** @example formatDuration(1_240) // "1.2 s" */
export function formatDuration(milliseconds: number): string {
  if (milliseconds < 1_000) return `${Math.round(milliseconds)} ms`;
  const seconds = milliseconds / 1_000;
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  return `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;
}

const STEPS: readonly (readonly [limit: number, unit: Intl.RelativeTimeFormatUnit, seconds: number])[] = [
  [3_600, "minute", 60],
  [86_400, "hour", 3_600],
  [7 * 86_400, "day", 86_400],
];

/** How long ago; a date when it is more than a week. */
export function formatAgo(iso: string, now: number, language: string): string {
  const seconds = Math.round((now - Date.parse(iso)) / 1_000);
  if (Number.isNaN(seconds)) return "";
  const relative = new Intl.RelativeTimeFormat(language, { numeric: "auto", style: "short" });
  if (seconds < 60) return relative.format(0, "second");
  const step = STEPS.find(([limit]) => seconds < limit);
  if (step) return relative.format(-Math.floor(seconds / step[2]), step[1]);
  return new Intl.DateTimeFormat(language, { day: "numeric", month: "short" }).format(Date.parse(iso));
}

/** The last part of a path. */
export const baseName = (path: string): string => path.slice(path.lastIndexOf("/") + 1);
