/** Which values no output may show. */
import type { PathReplacement } from "./path-mask.js";
import { secretReplacements } from "./secret-replacements.js";

type Variables = Readonly<Record<string, string>>;

/** Names of variables that hold secrets, whatever their values look like. */
const SECRET_NAME =
  /key|token|secret|passw|pwd$|credential|auth|cookie|session|private|signature|dsn$|^pass(word)?$/i;

/** Values that are secrets under any name; a word, a path, a number or a plain address is none. */
const SECRET_LOOKS: readonly { readonly what: string; readonly test: RegExp }[] = [
  { what: "an address with a user and a password", test: /^[a-z][\w+.-]*:\/\/[^/\s@]+:[^/\s@]+@/i },
  { what: "a private key", test: /-----BEGIN [A-Z ]*PRIVATE KEY-----/ },
  {
    what: "letters and digits without a break, as keys are",
    test: /^(?=.*\d)(?=.*[A-Za-z])[\w+/=.~-]{20,}$/,
  },
];
/** Their paths and names may well be as long as a key. */
const PLAIN_LOOKS = /^(\/|\.{1,2}\/|~\/|[a-z][\w+.-]*:\/\/)|^[\w-]+(\.[\w-]+)+(:\d+)?$/i;

const isSecret = ([name, value]: [string, string]): boolean =>
  SECRET_NAME.test(name) ||
  SECRET_LOOKS.some(({ test }, index) => test.test(value) && (index < 2 || !PLAIN_LOOKS.test(value)));

/**
 * What hides the secrets among an installation's variables, told by their names and their looks, and all of a
 * command's own secrets. Pure.
 */
export const hiddenValues = (
  environment: Variables = {},
  secrets: Variables = {},
): readonly PathReplacement[] =>
  secretReplacements({ ...Object.fromEntries(Object.entries(environment).filter(isSecret)), ...secrets });
