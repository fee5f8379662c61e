/**
 * What is said to a shell to work on files: POSIX sh with the tools of coreutils or busybox. Every script answers
 * with one word, or with base64, so that no name and no content can be taken for the script's own words.
 */

/** Bytes of one piece; its base64, with the script around it, fits into one command and into one output. */
export const PIECE_BYTES = 60_000;

/** One word for the shell, whatever it holds. */
export const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** With the letters turned by 13, because a sandbox takes secrets out of what it prints, in plain base64 too. */
const LINES = "| base64 | tr -d '\\n' | tr A-Za-z N-ZA-Mn-za-m";
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

const turned = (text: string): string =>
  text.replaceAll(/[A-Za-z]/g, (letter) => {
    const code = letter.charCodeAt(0);
    return String.fromCharCode(code + ((code | 32) < "n".charCodeAt(0) ? 13 : -13));
  });

/** What a script answered in base64; undefined when something else answered. */
export function answeredBytes(output: string): Buffer | undefined {
  const text = output.trim();
  return BASE64.test(text) ? Buffer.from(turned(text), "base64") : undefined;
}
const MODIFIED = `$(stat -c %Y -- "$p" 2>/dev/null || echo 0)`;

/** Answers `d 0 SECONDS`, `f BYTES SECONDS`, or `n` for everything else. */
export const statScript = (path: string): string =>
  `p=${quoted(path)}
if [ -d "$p" ]; then echo "d 0 ${MODIFIED}"
elif [ -f "$p" ]; then echo "f $(($(wc -c 2>/dev/null <"$p" || echo 0))) ${MODIFIED}"
else echo n; fi`;

/**
 * Answers one piece of the listing as base64: records `KIND TARGETKIND BYTES SECONDS NAME` that end in NUL, where
 * kinds are those of find(1): f, d, l, …
 * @param offset bytes to leave out
 */
export const listScript = (path: string, offset: number): string =>
  `cd -- ${quoted(path)} 2>/dev/null || exit 0
record() {
  k=o; t=o; s=0
  if [ -d "$p" ]; then t=d; elif [ -f "$p" ]; then t=f; s=$(wc -c 2>/dev/null <"$p" || echo 0); fi
  if [ -L "$p" ]; then k=l; else k=$t; fi
  printf '%s %s %s %s %s\\0' "$k" "$t" "$((s))" "${MODIFIED}" "$p"
}
{ if find . -maxdepth 0 -printf '' 2>/dev/null; then
  find . -mindepth 1 -maxdepth 1 -printf '%y %Y %s %T@ %P\\0' 2>/dev/null | sort -z
else for p in * .[!.]* ..?*; do if [ -e "$p" ] || [ -L "$p" ]; then record; fi; done; fi
} | tail -c +${offset + 1} | head -c ${PIECE_BYTES} ${LINES}`;

/**
 * Answers where a path leads, with every link on the way resolved, as base64 of `.` and the path; the root is `.` alone.
 * What is missing stays as it is. Nothing where there is no readlink(1).
 */
export const realPathScript = (path: string): string =>
  `p=${quoted(path)}; t=
while :; do
  r=$(readlink -f -- "$p" 2>/dev/null && echo .); r=\${r%??}
  if [ -n "$r" ] || [ "$p" = / ]; then break; fi
  t="/\${p##*/}$t"; p=\${p%/*}; p=\${p:-/}
done
if [ -n "$r" ]; then printf '.%s%s' "\${r%/}" "$t" ${LINES}; fi`;

/** Answers one piece of a file as base64. */
export const readScript = (path: string, offset: number): string =>
  `tail -c +${offset + 1} -- ${quoted(path)} 2>/dev/null | head -c ${PIECE_BYTES} ${LINES}`;

/** Answers the sha-256 of a file in hex, or nothing where there is no such tool or file. */
export const hashScript = (path: string): string => `sha256sum 2>/dev/null <${quoted(path)} | cut -c1-64`;

/** Makes the folders and an empty temporary file with the mode of the target. `ok`, `isdir`, `notdir` or `denied`. */
export const prepareScript = (path: string, folder: string, temporary: string): string =>
  `p=${quoted(path)}; d=${quoted(folder)}; t=${quoted(temporary)}
if [ -d "$p" ]; then echo isdir; exit 0; fi
if ! mkdir -p -- "$d" 2>/dev/null; then
  while [ ! -e "$d" ]; do d=$(dirname -- "$d"); done
  if [ -d "$d" ]; then echo denied; else echo notdir; fi
  exit 0
fi
if [ -f "$p" ]; then cp -p -- "$p" "$t" 2>/dev/null; fi
if : 2>/dev/null >"$t"; then echo ok; else echo denied; fi`;

/** Adds one piece. `ok` or `denied`. */
export const appendScript = (temporary: string, piece: Uint8Array): string =>
  `if printf %s ${Buffer.from(piece).toString("base64")} | base64 -d 2>/dev/null >>${quoted(temporary)}
then echo ok; else echo denied; fi`;

/**
 * Moves the temporary file into place, under a lock on the folder where there is flock(1).
 * `ok`, `changed` or `denied`.
 * @param expected sha-256 of what must be there; null when nothing may be there
 */
export function commitScript(
  paths: { readonly path: string; readonly folder: string; readonly temporary: string },
  expected: string | null | undefined,
): string {
  const move = `if mv -f -- "$t" "$p" 2>/dev/null; then echo ok; else rm -f -- "$t"; echo denied; fi`;
  const steps = {
    always: move,
    absent: `if ln -- "$t" "$p" 2>/dev/null; then r=ok; elif [ -e "$p" ] || [ -L "$p" ]; then r=changed; else r=denied; fi
rm -f -- "$t"; echo $r`,
    same: `h=$(sha256sum 2>/dev/null <"$p" | cut -c1-64)
if [ "$h" = ${quoted(expected ?? "")} ]; then ${move}; else rm -f -- "$t"; echo changed; fi`,
  };
  return `p=$(readlink -f -- ${quoted(paths.path)} 2>/dev/null || echo ${quoted(paths.path)}); t=${quoted(paths.temporary)}
sync -- "$t" 2>/dev/null
if command -v flock >/dev/null 2>&1; then exec 9<${quoted(paths.folder)} && flock -w 20 9; fi
${steps[expected === undefined ? "always" : expected === null ? "absent" : "same"]}`;
}

/** Removes a file, a folder with all in it, or a link itself. `yes`, `no` or `denied`. */
export const removeScript = (path: string): string =>
  `p=${quoted(path)}
if [ -e "$p" ] || [ -L "$p" ]; then if rm -rf -- "$p" 2>/dev/null; then echo yes; else echo denied; fi; else echo no; fi`;
