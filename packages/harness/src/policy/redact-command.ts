/** Takes what looks like a secret out of a command, for the log. */

const HIDDEN = "[redacted]";

/** What a name of a secret holds. */
const NAME = String.raw`[\w.-]{0,60}(?:key|token|secret|passw(?:or)?d|passwd|credential)[\w.-]{0,60}`;
/** A value: in quotes, or up to a blank or the end of a command. */
const VALUE = String.raw`"(?:[^"\\]|\\.)*"|'[^']*'|[^\s"';|&)]+`;

/** What comes before a secret, and the secret. */
const SECRETS: readonly RegExp[] = [
  /(\bauthorization\s*:\s*)([^"'\n]+)/dgi,
  /(\b(?:bearer|basic)\s+)([\w.~+/=-]{6,})/dgi,
  new RegExp(String.raw`((?<![\w.-])${NAME}["']?\s?[=:]\s?)(${VALUE})`, "dgi"),
  new RegExp(String.raw`(--?${NAME}\s+)((?!-)(?:${VALUE}))`, "dgi"),
  /(\b[a-z][a-z\d+.-]{0,20}:\/\/)([^\s/@"']{1,500})(?=@)/dgi,
  /((?:^|\s)(?:-u|--user|--proxy-user)[\s=]?)([^\s:"']+:[^\s"']+)/dg,
  /()(\b(?:sk|pk|rk|ghp|gho|ghu|ghs|ghr|github_pat|glpat|xox[abprs]|AKIA|npm|hf)[-_]?[A-Za-z\d_-]{16,})/dg,
];

export interface RedactedCommand {
  readonly text: string;
  /** Where a position of the command is in the text. */
  place(position: number): number;
}

/** Pure. Names stay, and `$NAME` in place of a value: it holds none. */
export function redactCommand(command: string): RedactedCommand {
  const found = SECRETS.flatMap((pattern) => [...command.matchAll(pattern)])
    .flatMap((match) => {
      const [start, end] = match.indices?.[2] ?? [0, 0];
      return /^["']?\$[\w{(]/.test(match[2] ?? "") ? [] : [{ start, end }];
    })
    .toSorted((a, b) => a.start - b.start || b.end - a.end);
  const hidden: { start: number; end: number }[] = [];
  for (const part of found) {
    const last = hidden.at(-1);
    if (last === undefined || part.start >= last.end) hidden.push({ ...part });
    else last.end = Math.max(last.end, part.end);
  }
  const text = hidden.reduceRight(
    (sum, { start, end }) => sum.slice(0, start) + HIDDEN + sum.slice(end),
    command,
  );
  const place = (position: number) =>
    hidden.reduce((sum, { start, end }) => {
      if (position >= end) return sum + HIDDEN.length - (end - start);
      return position > start ? sum - (position - start) : sum;
    }, position);
  return { text, place };
}
