/** Where bash takes a text for a number or a variable, in the syntax tree. */
import type { SyntaxNode } from "unbash";
import type { Auditor, Scope } from "./auditor.js";
import { arithmeticText, count } from "./subscripts.js";
import { plain } from "./values.js";
import { expandText } from "./words.js";

/** Counts what a node itself counts; what lies below it is another call. */
export function countIn(node: SyntaxNode, auditor: Auditor, scope: Scope): void {
  if (node.type === "ArithmeticCommand") count(plain(node.body), auditor, scope);
  else if (node.type === "ArithmeticExpansion" || node.type === "ArithmeticFor")
    count(plain(arithmeticText(node)), auditor, scope);
  else if (node.type === "TestUnary" && /^-[vR]$/.test(node.operator))
    count(expandText(node.operand, auditor, scope), auditor, scope);
  else if (node.type === "TestBinary" && /^-(eq|ne|[lg][te])$/.test(node.operator))
    for (const side of [node.left, node.right]) count(expandText(side, auditor, scope), auditor, scope);
}
