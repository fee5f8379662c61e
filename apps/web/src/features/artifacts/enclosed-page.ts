/** Makes a page of the agent's harmless before it is shown in a frame without any permission. */

/** Even inside its frame the page may reach nothing: no host learns that it was opened. */
const POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:; form-action 'none'; base-uri 'none'";
const META = `<meta http-equiv="Content-Security-Policy" content="${POLICY}">`;

/** The page with the policy in front of all else that it says; a document type stays first. */
export function enclosedPage(html: string): string {
  const start = /^\s*(?:<!doctype[^>]*>)?/i.exec(html)?.[0].length ?? 0;
  return html.slice(0, start) + META + html.slice(start);
}
