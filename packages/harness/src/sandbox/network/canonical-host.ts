/** One spelling for every host, so that no odd one passes a check that the plain one fails. */
import { isIP, isIPv6 } from "node:net";

/** An address is as `net.isIP` takes it, without brackets; a name in lower-case ASCII, without a dot at its end. */
export interface CanonicalHost {
  readonly kind: "name" | "address";
  readonly host: string;
}

/** What ends a host in a URL or is decoded there. */
const FOREIGN = /[\s/\\?#@%:<>^|[\]\p{Cc}]/u;
const LABEL = /^(?!-)[a-z0-9_-]{1,63}(?<!-)$/;
const NAME_CHARACTERS = 253;

/**
 * Pure. `[::1]` and `::1` are addresses, and so is whatever a URL takes for one: `0x7f.1`, `2130706433`, `0177.0.0.1`.
 * Undefined for what is no host.
 */
export function canonicalHost(text: string): CanonicalHost | undefined {
  const bare = text.startsWith("[") && text.endsWith("]") ? text.slice(1, -1) : undefined;
  const address = bare ?? text;
  if (isIPv6(address) && !address.includes("%"))
    return { kind: "address", host: hostname(`[${address}]`) ?? address };
  if (bare !== undefined || text === "" || FOREIGN.test(text)) return undefined;
  const shown = hostname(text)?.replace(/\.$/, "");
  if (shown === undefined) return undefined;
  if (isIP(shown) !== 0) return { kind: "address", host: shown };
  if (shown.length > NAME_CHARACTERS) return undefined;
  return shown.split(".").every((label) => LABEL.test(label)) ? { kind: "name", host: shown } : undefined;
}

/** A host with a port, as in a URL: `example.com:8443`, `[::1]:80`. Undefined where either is none. Pure. */
export function canonicalAuthority(
  text: string,
  defaultPort?: number,
): (CanonicalHost & { port: number }) | undefined {
  const match = /^(?<host>\[[^\]]*\]|[^:]*)(?::(?<port>\d{1,5}))?$/.exec(text);
  const host = canonicalHost(match?.groups?.["host"] ?? "");
  const written = match?.groups?.["port"];
  const port = written === undefined ? defaultPort : Number(written);
  if (host === undefined || port === undefined || port < 1 || port > 65_535) return undefined;
  return { ...host, port };
}

function hostname(text: string): string | undefined {
  try {
    return new URL(`http://${text}/`).hostname.replace(/^\[|\]$/g, "");
  } catch {
    return undefined; // No URL, so no host.
  }
}
