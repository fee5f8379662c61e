/** Shell patterns: `*`, `?` and brackets, of which any character fits. */

/** Whether a text holds a wildcard or brackets with something in them. */
export function isPattern(text: string): boolean {
  const open = text.indexOf("[");
  return /[*?]/.test(text) || (open >= 0 && text.lastIndexOf("]") > open + 1);
}

/**
 * Whether a text fits a pattern; brackets match any one character. The time is the product of both lengths at worst.
 * @param separator a character that no wildcard fits
 */
export function fitsPattern(pattern: string, text: string, separator?: string): boolean {
  // Behind the last bracket that closes, none can be closed: looking for the end of each would take its square.
  const end = pattern.lastIndexOf("]") + 1;
  const tokens = (pattern.slice(0, end).replaceAll(/\[[^\]]*\]/g, "?") + pattern.slice(end)).replaceAll(
    /\*+/g,
    "*",
  );
  let token = 0;
  let at = 0;
  let lastAny = -1;
  let resumeAt = 0;
  while (at < text.length) {
    const wild = tokens[token];
    if (wild === "*") {
      lastAny = token;
      resumeAt = at;
      token += 1;
    } else if (wild === text[at] || (wild === "?" && text[at] !== separator)) {
      token += 1;
      at += 1;
    } else if (lastAny >= 0 && text[resumeAt] !== separator) {
      token = lastAny + 1;
      resumeAt += 1;
      at = resumeAt;
    } else {
      return false;
    }
  }
  while (tokens[token] === "*") token += 1;
  return token === tokens.length;
}
