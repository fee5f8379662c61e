/** Commands that start processes without end. */
import {
  forEachChild,
  type ArithmeticFor,
  type Command,
  type Function as FunctionNode,
  type SyntaxNode,
  type While,
} from "unbash";

/** Whether `node` or something below it passes the test; functions defined inside are left out. */
function contains(node: SyntaxNode, test: (node: SyntaxNode) => boolean): boolean {
  if (test(node)) return true;
  let found = false;
  forEachChild(node, (child) => {
    if (!found && child.type !== "Function") found = contains(child, test);
  });
  return found;
}

const isCall = (node: SyntaxNode, name: string): boolean =>
  node.type === "Command" && node.name?.value === name;

/** A piece that runs beside others: a part of a pipeline, or in the background. */
const runsBeside = (node: SyntaxNode): boolean =>
  node.type === "Pipeline" || (node.type === "Statement" && node.background === true);

/** `f() { f | f & }`: a function that starts itself beside itself. */
export const isForkBomb = ({ name, body }: FunctionNode): boolean =>
  contains(body, (node) => runsBeside(node) && contains(node, (inner) => isCall(inner, name.value)));

/** `$0 | $0 &`: a script that starts itself beside itself. */
export const startsItself = (node: SyntaxNode): boolean =>
  runsBeside(node) &&
  contains(node, (inner) => inner.type === "Command" && /^"?\$(0|\{0\})"?$/.test(inner.name?.text ?? ""));

/** What makes every turn of a loop wait, or ends it. */
const BOUNDS = ["wait", "break", "return", "exit", "read"];

/** `while true; do job & done`: an endless loop whose turns leave processes behind. */
export function isEndlessSpawner(loop: While | ArithmeticFor): boolean {
  if (!isEndless(loop)) return false;
  const spawns = contains(loop.body, (node) => node.type === "Statement" && node.background === true);
  const bounded = contains(loop.body, (node) => BOUNDS.some((name) => isCall(node, name)));
  return spawns && !bounded;
}

function isEndless(loop: While | ArithmeticFor): boolean {
  if (loop.type === "ArithmeticFor") return loop.test === undefined;
  const last = loop.clause.commands.at(-1)?.command;
  if (last === undefined) return false;
  if (last.type === "ArithmeticCommand") return loop.kind === "while" && /^\s*[1-9]\d*\s*$/.test(last.body);
  if (last.type === "TestCommand") return loop.kind === "while" && !last.expression.type.endsWith("Binary");
  return last.type === "Command" && alwaysEnds(last, loop.kind === "while");
}

/** Whether a command always succeeds (or, for `until`, always fails). */
function alwaysEnds({ name, args }: Command, success: boolean): boolean {
  const word = name?.value.slice(name.value.lastIndexOf("/") + 1);
  if (!success) return word === "false";
  if (word === ":" || word === "true") return true;
  const constant = args.length <= 2 && args.every((arg) => arg.type === "Word" && !arg.text.includes("$"));
  return (word === "[" || word === "test") && args.length > 0 && constant;
}
