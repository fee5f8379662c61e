/** What kind of place an IP address is. Commands with an allow list reach `public` ones only. */
import { isIPv4, isIPv6 } from "node:net";

export type AddressClass =
  | "public"
  | "private"
  | "loopback"
  | "link-local"
  | "metadata"
  | "shared"
  | "multicast"
  | "broadcast"
  | "unspecified"
  | "documentation"
  | "reserved";

interface Row {
  /** An address and the length of its prefix in bits. */
  readonly range: string;
  /** `inner`: as the IPv4 address that is packed into it, `bitsBehind` bits before the end. */
  readonly class: AddressClass | "inner";
  readonly bitsBehind?: number;
  readonly reason: string;
}

/** The first row that holds decides, so the narrow ones stand above the wide ones. */
const IPV4: readonly Row[] = [
  { range: "169.254.169.254/32", class: "metadata", reason: "gives out the keys of a cloud machine" },
  { range: "169.254.170.0/24", class: "metadata", reason: "gives out the keys of a container at Amazon" },
  { range: "100.100.100.200/32", class: "metadata", reason: "the same at Alibaba" },
  { range: "192.0.0.192/32", class: "metadata", reason: "the same at Oracle" },
  {
    range: "168.63.129.16/32",
    class: "metadata",
    reason: "the same at Azure, though the range is a public one",
  },
  { range: "255.255.255.255/32", class: "broadcast", reason: "everybody on the local network" },
  { range: "0.0.0.0/8", class: "unspecified", reason: "Linux takes 0.0.0.0 for this machine" },
  { range: "127.0.0.0/8", class: "loopback", reason: "services of this machine that trust it" },
  { range: "10.0.0.0/8", class: "private", reason: "RFC 1918" },
  { range: "172.16.0.0/12", class: "private", reason: "RFC 1918, also Docker's own networks" },
  { range: "192.168.0.0/16", class: "private", reason: "RFC 1918" },
  { range: "100.64.0.0/10", class: "shared", reason: "a provider's inner network, RFC 6598" },
  { range: "169.254.0.0/16", class: "link-local", reason: "neighbours on the cable, RFC 3927" },
  { range: "192.0.0.0/24", class: "reserved", reason: "protocol assignments, RFC 6890" },
  { range: "192.0.2.0/24", class: "documentation", reason: "RFC 5737" },
  { range: "198.51.100.0/24", class: "documentation", reason: "RFC 5737" },
  { range: "203.0.113.0/24", class: "documentation", reason: "RFC 5737" },
  { range: "192.88.99.0/24", class: "reserved", reason: "relays of 6to4, given up by RFC 7526" },
  { range: "198.18.0.0/15", class: "reserved", reason: "measurements inside a network, RFC 2544" },
  { range: "224.0.0.0/4", class: "multicast", reason: "RFC 5771" },
  { range: "240.0.0.0/4", class: "reserved", reason: "never given out, RFC 1112" },
  { range: "0.0.0.0/0", class: "public", reason: "what is left" },
];

const IPV6: readonly Row[] = [
  { range: "::/128", class: "unspecified", reason: "Linux takes it for this machine" },
  { range: "::1/128", class: "loopback", reason: "services of this machine that trust it" },
  { range: "::ffff:0:0/96", class: "inner", reason: "an IPv4 address in IPv6 spelling" },
  { range: "64:ff9b::/96", class: "inner", reason: "NAT64 leads to the IPv4 address, RFC 6052" },
  { range: "64:ff9b:1::/48", class: "private", reason: "NAT64 inside a network, RFC 8215" },
  { range: "2002::/16", class: "inner", bitsBehind: 80, reason: "6to4 leads to the IPv4 address, RFC 3056" },
  { range: "fd00:ec2::/32", class: "metadata", reason: "services of a machine at Amazon" },
  { range: "fd20:ce::254/128", class: "metadata", reason: "gives out the keys of a machine at Google" },
  { range: "fc00::/7", class: "private", reason: "RFC 4193" },
  { range: "fe80::/10", class: "link-local", reason: "neighbours on the cable, RFC 4291" },
  { range: "fec0::/10", class: "private", reason: "site-local, given up by RFC 3879, still routed by some" },
  { range: "ff00::/8", class: "multicast", reason: "RFC 4291" },
  { range: "2001:db8::/32", class: "documentation", reason: "RFC 3849" },
  { range: "3fff::/20", class: "documentation", reason: "RFC 9637" },
  { range: "2001::/23", class: "reserved", reason: "Teredo and other tunnels that hide an inner address" },
  { range: "2000::/3", class: "public", reason: "the only part that is given out" },
  { range: "::/0", class: "reserved", reason: "everything else, with ::a.b.c.d of old" },
];

const IPV4_BITS = 32;
const IPV6_BITS = 128;

/**
 * Pure. Takes addresses as a resolver gives them; what is none counts as `reserved`. Odd spellings such as `0x7f.1`
 * are for `canonicalHost` to straighten out.
 */
export function addressClass(address: string): AddressClass {
  const [text = ""] = address.split("%"); // fe80::1%eth0
  if (isIPv4(text)) return classIn(IPV4_TABLE, ipv4Number(text), IPV4_BITS);
  if (isIPv6(text)) return classIn(IPV6_TABLE, ipv6Number(text), IPV6_BITS);
  return "reserved";
}

/** Two spellings of one address, or one and its IPv4-mapped form. Pure. */
export const sameAddress = (one: string, other: string): boolean => plain(one) === plain(other);

function plain(address: string): bigint | undefined {
  const [text = ""] = address.split("%");
  if (isIPv4(text)) return MAPPED + ipv4Number(text);
  return isIPv6(text) ? ipv6Number(text) : undefined;
}

interface Range {
  readonly start: bigint;
  readonly ignoredBits: bigint;
  readonly row: Row;
}

function rangeOf(row: Row, bits: number): Range {
  const [address = "", length] = row.range.split("/");
  const ignoredBits = BigInt(bits - Number(length));
  const start = bits === IPV4_BITS ? ipv4Number(address) : ipv6Number(address);
  return { start: start >> ignoredBits, ignoredBits, row };
}

function classIn(table: readonly Range[], address: bigint, bits: number): AddressClass {
  const row = table.find(({ start, ignoredBits }) => address >> ignoredBits === start)?.row;
  if (row === undefined) return "reserved";
  if (row.class !== "inner") return row.class;
  const inner = BigInt.asUintN(IPV4_BITS, address >> BigInt(row.bitsBehind ?? 0));
  return bits === IPV4_BITS ? "reserved" : classIn(IPV4_TABLE, inner, IPV4_BITS);
}

function ipv4Number(address: string): bigint {
  return address.split(".").reduce((number, part) => (number << 8n) + BigInt(part), 0n);
}

function ipv6Number(address: string): bigint {
  // The URL standard writes an inner a.b.c.d as two groups, so that only groups are left.
  const shown = new URL(`http://[${address}]/`).hostname.slice(1, -1);
  const [head = "", tail] = shown.split("::");
  const groups = (text: string) => text.split(":").filter((group) => group !== "");
  const [before, after] = [groups(head), groups(tail ?? "")];
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => "0");
  return [...before, ...zeros, ...after].reduce(
    (number, group) => (number << 16n) + BigInt(`0x${group}`),
    0n,
  );
}

const MAPPED = ipv6Number("::ffff:0:0");
const IPV4_TABLE = IPV4.map((row) => rangeOf(row, IPV4_BITS));
const IPV6_TABLE = IPV6.map((row) => rangeOf(row, IPV6_BITS));
