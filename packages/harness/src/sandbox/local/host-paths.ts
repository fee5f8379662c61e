import type { SandboxMount } from "../contract.js";

/** What may follow a mount's path for the text to mean that mount: the end, a slash, or a word's end. */
const END = String.raw`(?![\w.-])`;
/** What may not stand before it: the text would be the end of another path. */
const BEGIN = String.raw`(?<![\w./-])`;

const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);

/** `text` with `root` put before the virtual path of every mount that occurs in it. Pure. */
export function toHostPaths(text: string, mounts: readonly SandboxMount[], root: string): string {
  const paths = mounts.map(({ virtualPath }) => escaped(virtualPath));
  if (paths.length === 0) return text;
  return text.replaceAll(new RegExp(`${BEGIN}(${paths.join("|")})${END}`, "g"), (path) => root + path);
}
