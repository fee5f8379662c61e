import { assert, constantFrom, ipV4, ipV6, property } from "fast-check";
import { describe, expect, it } from "vitest";
import { addressClass, sameAddress, type AddressClass } from "./address-class.js";
import { canonicalHost } from "./canonical-host.js";

const ADDRESSES: readonly (readonly [string, AddressClass])[] = [
  ["1.1.1.1", "public"],
  ["8.8.8.8", "public"],
  ["93.184.216.34", "public"],
  ["9.255.255.255", "public"],
  ["10.0.0.0", "private"],
  ["10.255.255.255", "private"],
  ["11.0.0.0", "public"],
  ["100.63.255.255", "public"],
  ["100.64.0.0", "shared"],
  ["100.127.255.255", "shared"],
  ["100.128.0.0", "public"],
  ["100.100.100.200", "metadata"],
  ["126.255.255.255", "public"],
  ["127.0.0.0", "loopback"],
  ["127.0.0.1", "loopback"],
  ["127.1.2.3", "loopback"],
  ["127.255.255.255", "loopback"],
  ["128.0.0.0", "public"],
  ["168.63.129.16", "metadata"],
  ["168.63.129.17", "public"],
  ["169.253.255.255", "public"],
  ["169.254.0.1", "link-local"],
  ["169.254.169.253", "link-local"],
  ["169.254.169.254", "metadata"],
  ["169.254.170.2", "metadata"],
  ["169.255.0.0", "public"],
  ["172.15.255.255", "public"],
  ["172.16.0.0", "private"],
  ["172.17.0.1", "private"],
  ["172.31.255.255", "private"],
  ["172.32.0.0", "public"],
  ["192.0.0.1", "reserved"],
  ["192.0.0.192", "metadata"],
  ["192.0.1.0", "public"],
  ["192.0.2.1", "documentation"],
  ["192.88.99.1", "reserved"],
  ["192.167.255.255", "public"],
  ["192.168.0.0", "private"],
  ["192.168.255.255", "private"],
  ["192.169.0.0", "public"],
  ["198.17.255.255", "public"],
  ["198.18.0.0", "reserved"],
  ["198.19.255.255", "reserved"],
  ["198.51.100.7", "documentation"],
  ["203.0.113.7", "documentation"],
  ["223.255.255.255", "public"],
  ["224.0.0.1", "multicast"],
  ["239.255.255.250", "multicast"],
  ["240.0.0.1", "reserved"],
  ["255.255.255.254", "reserved"],
  ["255.255.255.255", "broadcast"],
  ["0.0.0.0", "unspecified"],
  ["0.1.2.3", "unspecified"],
  ["::", "unspecified"],
  ["::1", "loopback"],
  ["0:0:0:0:0:0:0:1", "loopback"],
  ["::2", "reserved"],
  ["::127.0.0.1", "reserved"],
  ["::ffff:127.0.0.1", "loopback"],
  ["::ffff:7f00:1", "loopback"],
  ["::FFFF:10.1.2.3", "private"],
  ["::ffff:169.254.169.254", "metadata"],
  ["::ffff:8.8.8.8", "public"],
  ["::ffff:0:127.0.0.1", "reserved"],
  ["64:ff9b::127.0.0.1", "loopback"],
  ["64:ff9b::a9fe:a9fe", "metadata"],
  ["64:ff9b::8.8.8.8", "public"],
  ["64:ff9b:1::8.8.8.8", "private"],
  ["2002:7f00:1::", "loopback"],
  ["2002:0a01:0203::1", "private"],
  ["2002:808:808::1", "public"],
  ["2001::1", "reserved"],
  ["2001:20::1", "reserved"],
  ["2001:200::1", "public"],
  ["2001:db8::1", "documentation"],
  ["2001:4860:4860::8888", "public"],
  ["2606:4700:4700::1111", "public"],
  ["3fff:0fff::1", "documentation"],
  ["3fff:1000::1", "public"],
  ["4000::1", "reserved"],
  ["5f00::1", "reserved"],
  ["100::1", "reserved"],
  ["fc00::1", "private"],
  ["fd12:3456::1", "private"],
  ["fd00:ec2::254", "metadata"],
  ["fd00:ec2::23", "metadata"],
  ["fd20:ce::254", "metadata"],
  ["fe00::1", "reserved"],
  ["fe80::1", "link-local"],
  ["fe80::1%eth0", "link-local"],
  ["febf::1", "link-local"],
  ["fec0::1", "private"],
  ["ff02::1", "multicast"],
  ["", "reserved"],
  ["example.com", "reserved"],
  ["127.1", "reserved"],
  ["256.1.1.1", "reserved"],
];

describe("the class of an address", () => {
  it.each(ADDRESSES)("of %s is %s", (address, expected) => {
    expect(addressClass(address)).toBe(expected);
  });

  it("is never public for any spelling of what IPv4 does not give out, packed into IPv6", () => {
    const inside = constantFrom("127.0.0.1", "10.9.8.7", "192.168.1.1", "169.254.169.254", "0.0.0.0");
    const prefix = constantFrom("::ffff:", "64:ff9b::", "::");
    assert(
      property(prefix, inside, (before, address) => {
        expect(addressClass(before + address)).not.toBe("public");
      }),
    );
  });

  it("is found for every address", () => {
    assert(property(ipV4(), (address) => typeof addressClass(address) === "string"));
    assert(property(ipV6(), (address) => typeof addressClass(address) === "string"));
  });

  it("treats an address and its mapped form as the same", () => {
    expect(sameAddress("8.8.8.8", "::ffff:808:808")).toBe(true);
    expect(sameAddress("fe80::1%eth0", "fe80:0::1")).toBe(true);
    expect(sameAddress("8.8.8.8", "8.8.4.4")).toBe(false);
  });
});

describe("a host in an odd spelling", () => {
  it.each([
    ["0x7f.1", "127.0.0.1"],
    ["0x7f000001", "127.0.0.1"],
    ["2130706433", "127.0.0.1"],
    ["017700000001", "127.0.0.1"],
    ["0177.0.0.1", "127.0.0.1"],
    ["127.1", "127.0.0.1"],
    ["127.0.1", "127.0.0.1"],
    ["127.0.0.1.", "127.0.0.1"],
    ["0", "0.0.0.0"],
    ["①②⑦.0.0.1", "127.0.0.1"],
    ["127。0。0。1", "127.0.0.1"],
    ["0xa9.0xfe.0xa9.0xfe", "169.254.169.254"],
    ["2852039166", "169.254.169.254"],
    ["[::1]", "::1"],
    ["[0:0:0:0:0:ffff:7f00:1]", "::ffff:7f00:1"],
    ["::FFFF:127.0.0.1", "::ffff:7f00:1"],
  ])("%s is the address %s", (text, host) => {
    expect(canonicalHost(text)).toEqual({ kind: "address", host });
    expect(addressClass(host)).not.toBe("public");
  });

  it.each([
    ["EXAMPLE.Com", "example.com"],
    ["example.com.", "example.com"],
    ["bücher.de", "xn--bcher-kva.de"],
    ["ｅｘａｍｐｌｅ.com", "example.com"],
    ["example。com", "example.com"],
    ["a_b.example.com", "a_b.example.com"],
  ])("%s is the name %s", (text, host) => {
    expect(canonicalHost(text)).toEqual({ kind: "name", host });
  });

  it.each([
    "",
    ".",
    "..",
    "example.com..",
    "a..b",
    ".example.com",
    "-a.com",
    "a-.com",
    "1.2.3.4.5",
    "256.1.1.1",
    "1.2.3.08",
    "[::1",
    "::1]",
    "[1.2.3.4]",
    "[fe80::1%25eth0]",
    "fe80::1%eth0",
    "a b.com",
    "a\tb.com",
    "a\nb.com",
    "a\0b.com",
    "user@example.com",
    "example.com/",
    "example.com?x",
    "example.com#x",
    "exam%70le.com",
    "example.com:80",
    "a\\b.com",
    `${"a".repeat(64)}.com`,
    `${"a.".repeat(127)}com`,
  ])("%j is no host", (text) => {
    expect(canonicalHost(text)).toBeUndefined();
  });
});
