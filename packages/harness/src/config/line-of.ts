/** Finds where a setting stands in the text of `config.yaml`. */
import { type Document, isMap, isNode, isPair, isScalar, isSeq, type LineCounter } from "yaml";

/**
 * The line of a setting, or of the nearest section around it that is there.
 *
 * @param key as errors spell it: `models[0].api_key`
 * @returns counted from 1; undefined where not even its first name is in the text
 */
export function lineOf(
  text: { readonly document: Document; readonly lines: LineCounter },
  key: string,
): number | undefined {
  let node: unknown = text.document.contents;
  let offset: number | undefined;
  for (const step of key.split(/[.[\]]+/).filter((part) => part !== "")) {
    const found = stepInto(node, step);
    if (found === undefined) break;
    offset = found.offset ?? offset;
    node = found.node;
  }
  return offset === undefined ? undefined : text.lines.linePos(offset).line;
}

function stepInto(
  node: unknown,
  step: string,
): { readonly node: unknown; readonly offset: number | undefined } | undefined {
  if (isSeq(node)) {
    const item: unknown = node.items[Number(step)];
    return item === undefined ? undefined : { node: item, offset: startOf(item) };
  }
  if (!isMap(node)) return undefined;
  const pair = node.items.find(
    (each) => isPair(each) && isScalar(each.key) && String(each.key.value) === step,
  );
  return pair === undefined ? undefined : { node: pair.value, offset: startOf(pair.key) };
}

const startOf = (node: unknown): number | undefined => (isNode(node) ? node.range?.[0] : undefined);
