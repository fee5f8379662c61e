/**
 * Code in numbers. Where bash counts, it reads names as variables and their values as numbers again, and it runs the
 * substitutions in the subscript of an array: `x='a[$(ls)]'; (( x ))` runs `ls`.
 */
import { forEachChild, type ArithmeticExpansionPart, type ArithmeticFor, type SyntaxNode } from "unbash";
import type { Auditor, Call, Scope } from "./auditor.js";
import { judgeVariable } from "./builtins.js";
import { UNKNOWN, type Text } from "./values.js";

const SUBSCRIPT = /\[[^]*?(\$\(|`)/;
const NAME = /[A-Za-z_]\w*/g;
const SETS = /([A-Za-z_]\w*)(\[[^\]]*\])?\s*([-+*/%&|^]|<<|>>)?=(?!=)/g;
/** Values that name another variable are followed so far. */
const STEPS = 4;

/** Runs what a text would run that bash takes for a variable or a number. */
export function runSubscripts(value: Text, auditor: Auditor, scope: Scope): void {
  if (SUBSCRIPT.test(value.text)) runExpansions(value, auditor, scope);
}

/** Runs the substitutions in a value that bash expands once more. */
export function runExpansions(value: Text, auditor: Auditor, scope: Scope): void {
  const text = `: "${value.text.replaceAll('"', "")}"`;
  auditor.runText({ ...value, text }, { ...scope, state: scope.state.fork() });
}

/** Counts: the text of an arithmetic expression, with all the values that its variables may have. */
export function count(expression: Text, auditor: Auditor, scope: Scope): void {
  auditor.spend(expression.text.length);
  runSubscripts(expression, auditor, scope);
  for (const [, name = ""] of expression.text.matchAll(SETS)) judgeVariable(name, UNKNOWN, scope, auditor);
  let names = new Set(expression.text.match(NAME));
  for (let step = 0; step < STEPS && names.size > 0; step += 1) {
    const values = scope.state.valuesOf([...names]).flatMap(([, known]) => known ?? []);
    auditor.spend(values.reduce((sum, { text }) => sum + text.length, names.size));
    for (const value of values) runSubscripts(value, auditor, scope);
    names = new Set(values.flatMap(({ text }) => (/^\w{1,50}$/.test(text) ? text : [])));
  }
}

/** The text of a count, without that of the commands inside a loop over it. */
export function arithmeticText(node: ArithmeticExpansionPart | ArithmeticFor): string {
  const words: string[] = [];
  const visit = (inner: SyntaxNode): void => {
    if (inner.type === "ArithmeticWord") words.push(inner.value);
    if (inner.type === "ArithmeticBinary" && inner.left.type === "ArithmeticWord") {
      const isSet = /^([-+*/%&|^]|<<|>>)?=$/.test(inner.operator);
      if (isSet) words.push(`${inner.left.value}=`);
    }
    if (inner.type !== "CompoundList" && inner.type !== "Script") forEachChild(inner, visit);
  };
  visit(node);
  return words.join(" ");
}

/** Builtins whose arguments name variables, and where: behind an option, or all of them. */
const NAMING: Readonly<Record<string, RegExp | "all">> = {
  "[": /^-v$/,
  declare: "all",
  let: "all",
  local: "all",
  mapfile: "all",
  printf: /^-v$/,
  read: "all",
  readarray: "all",
  test: /^-v$/,
  typeset: "all",
  unset: "all",
  wait: /^-p$/,
};

/** What a builtin runs because of the names and numbers that it is given. */
export function runNames({ name, fields, scope }: Call, auditor: Auditor): void {
  const where = Object.hasOwn(NAMING, name) ? NAMING[name] : undefined;
  if (where === undefined) return;
  fields.forEach((field, index) => {
    if (where !== "all" && !where.test(fields[index - 1]?.text ?? "")) return;
    if (name === "let") count(field, auditor, scope);
    else if (where !== "all" || /^[A-Za-z_]\w*\[/.test(field.text)) runSubscripts(field, auditor, scope);
  });
  const isNumber = /^(declare|typeset|local)$/.test(name) && fields.some(({ text }) => /^-\w*i/.test(text));
  for (const field of isNumber ? fields : []) count(field, auditor, scope);
}
