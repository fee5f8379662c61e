/** Shell patterns: `*`, `?` and brackets, of which any character fits. */

/**
 * Whether a text fits a pattern; brackets match any one character. The time is the product of both lengths at worst.
 * @param separator a character that no wildcard fits
 */
export function fitsPattern(pattern: string, text: string, separator?: string): boolean {
  const tokens = pattern.replaceAll(/\[[^\]]*\]/g, "?").replaceAll(/\*+/g, "*");
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
