/** Where a command's input comes from and where its output goes. */
import type { Redirection } from "unbash";
import type { Auditor, Scope } from "./auditor.js";
import { judgeVariable } from "./builtins.js";
import { contentOf } from "./prints.js";
import { isNetworkPath, isSecret, ruleAgainstWriting } from "./targets.js";
import { EMPTY, plain, UNKNOWN, type Text } from "./values.js";
import { expandParts, expandText } from "./words.js";

export interface Redirected {
  readonly stdin: Text;
  /** Files that standard output goes to. */
  readonly outputs: readonly string[];
}

/** Judges redirections, and says what they do to input and output. */
export function redirect(redirections: readonly Redirection[], auditor: Auditor, scope: Scope): Redirected {
  const { input } = scope.state;
  let stdin = input?.instead === scope.stdin ? input.read : scope.stdin;
  const outputs: string[] = [];
  for (const redirection of redirections) {
    if (redirection.type !== "HereString" && redirection.descriptor?.type === "FileDescriptorVariable")
      judgeVariable(redirection.descriptor.name, UNKNOWN, scope, auditor);
    const target = targetOf(redirection, auditor, scope);
    if (target === undefined) continue;
    if ("input" in target) stdin = target.input;
    else outputs.push(target.output);
  }
  return { stdin, outputs };
}

/** What a redirection reads or which file it writes; undefined for a duplicated descriptor. */
function targetOf(
  node: Redirection,
  auditor: Auditor,
  scope: Scope,
): { input: Text } | { output: string } | undefined {
  if (node.type === "HereDoc") {
    const { parts, text } = node.body;
    return { input: parts === undefined ? plain(text) : expandParts(parts, auditor, scope) };
  }
  if (node.target === undefined) return undefined;
  const target = expandText(node.target, auditor, scope);
  if (node.type === "HereString") return { input: { ...target, text: `${target.text}\n` } };
  if (node.operator === "<&" && /^\d+$/.test(target.text)) {
    const input = scope.state.shared.files.get(`/dev/fd/${target.text}`);
    return input && { input };
  }
  if (/^[<>]&$/.test(node.operator) && /^(\d+-?|-|\0)$/.test(target.text)) return undefined;
  const path = scope.state.absolute(target.text);
  if (isNetworkPath(path)) auditor.report("network-shell", scope);
  if (node.operator === "<") {
    if (isSecret(path)) auditor.report("read-secret", scope);
    const content = contentOf(target, scope);
    const number = node.descriptor?.type === "FileDescriptor" ? node.descriptor.value : 0;
    if (number === 0) return { input: content };
    scope.state.shared.files.set(`/dev/fd/${number}`, content);
    return undefined;
  }
  const rule = ruleAgainstWriting(path);
  if (rule !== undefined) auditor.report(rule, scope);
  const descriptor = node.descriptor?.type === "FileDescriptor" ? node.descriptor.value : 1;
  return descriptor === 1 ? { output: path } : undefined;
}

/** Remembers what went into files; what is left goes on to the next command. */
export function written({ outputs }: Redirected, output: Text, { state }: Scope): Text {
  for (const path of outputs) state.shared.files.set(path, output);
  return outputs.length === 0 ? output : EMPTY;
}
