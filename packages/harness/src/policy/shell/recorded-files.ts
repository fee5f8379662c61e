/** Remembers what a command puts into files, for a later command of the same line may run them. */
import { hasShort, parseArguments } from "./arguments.js";
import type { Call } from "./auditor.js";
import { contentOf } from "./prints.js";
import { HOLE, type Text } from "./values.js";

const DOWNLOADED: Text = { text: HOLE, origin: "downloaded" };

/** Notes downloads, copies and `tee` in the state's files. */
export function recordFiles(call: Call): void {
  const { name, scope } = call;
  const note = (path: string, content: Text) =>
    scope.state.shared.files.set(scope.state.absolute(path), content);
  if (name === "curl" || name === "wget") for (const path of downloads(call)) note(path, DOWNLOADED);
  if (name === "tee") for (const { text } of parseArguments(call.fields).operands) note(text, scope.stdin);
  for (const [path, content] of made(call)) note(path, content);
  if (!/^(cp|mv|ln|install)$/.test(name)) return;
  const { operands } = parseArguments(call.fields, ["-m", "-o", "-g"]);
  const destination = operands.at(-1)?.text;
  if (name === "ln") recordLink(call);
  for (const source of operands.slice(0, -1)) {
    const content = contentOf(source, scope);
    if (destination === undefined || (content.text === HOLE && content.origin === "plain")) continue;
    note(destination, content);
    note(`${destination}/${lastPart(source.text)}`, content);
  }
}

const DECODED: Text = { text: HOLE, origin: "decoded" };

/** Files that other programs make of their input or of another file. */
function made({ name, fields, scope }: Call): readonly (readonly [string, Text])[] {
  const { operands, values, options } = parseArguments(fields, ["-o", "-out", "-d", "-in"]);
  const paths = operands.map(({ text }) => text);
  if (name === "dd")
    return paths.flatMap((path) => (path.startsWith("of=") ? [[path.slice(3), scope.stdin]] : []));
  if (name === "sponge") return paths.map((path) => [path, scope.stdin]);
  if (name === "aria2c")
    return [...values].flatMap(([option, { text }]) => (option === "-o" ? [[text, DOWNLOADED]] : []));
  if (name === "openssl" && options.includes("-d")) return paths.map((path) => [path, DECODED]);
  if (name === "xxd" && options.some((option) => option.startsWith("-r")))
    return paths.slice(1).map((path) => [path, DECODED]);
  if (/^(gunzip|unxz|bunzip2|gzip|xz|bzip2|zstd)$/.test(name))
    return paths.flatMap((path) => (/\.\w+$/.test(path) ? [[path.replace(/\.\w+$/, ""), DECODED]] : []));
  return [];
}

/** A link leads away from where it lies. */
function recordLink({ fields, scope: { state } }: Call): void {
  const [target, link = "."] = parseArguments(fields).operands.map(({ text }) => text);
  if (target === undefined || target.includes(HOLE)) return;
  const path = state.absolute(link, false);
  const aim = target.startsWith("/") ? target : `${path.slice(0, path.lastIndexOf("/"))}/${target}`;
  for (const name of [path, `${path}/${lastPart(target)}`])
    if (name !== aim) state.link(name, state.absolute(aim));
}

/** Files that a download is written to, under every name that it may get. */
function downloads({ name, fields }: Call): readonly string[] {
  const curl = name === "curl";
  const withValue = curl
    ? ["-o", "--output", "-H", "-d", "-X", "-A", "-u", "--output-dir"]
    : ["-O", "--output-document", "-P", "--directory-prefix", "-U", "--header"];
  const parsed = parseArguments(fields, withValue);
  const named = ["-o", "--output", "-O", "--output-document"].flatMap(
    (option) => parsed.values.get(option)?.text ?? [],
  );
  if (named.length > 0) return named;
  if (curl && !hasShort(parsed, "OJ") && !parsed.options.includes("--remote-name")) return [];
  const folder = parsed.values.get("-P")?.text ?? parsed.values.get("--directory-prefix")?.text ?? ".";
  return parsed.operands.map(
    ({ text }) => `${folder}/${lastPart(text.replace(/[?#][^]*$/, "")) || "index.html"}`,
  );
}

const lastPart = (path: string): string => path.slice(path.lastIndexOf("/") + 1);
