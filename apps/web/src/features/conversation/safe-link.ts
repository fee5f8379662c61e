/** Which addresses in a text of the agent may become links. */

const SAFE: ReadonlySet<string> = new Set(["http:", "https:", "mailto:"]);

/** The address when it is absolute and harmless; undefined else. */
export function safeLink(href: string | undefined): string | undefined {
  if (href === undefined || !URL.canParse(href)) return undefined;
  return SAFE.has(new URL(href).protocol) ? href : undefined;
}
