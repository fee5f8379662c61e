import { describe, expect, it } from "vitest";
import { DeerflowError } from "../../base/errors.js";
import { canonicalAuthority } from "./canonical-host.js";
import { judgeAddresses, judgeTarget } from "./judge-target.js";
import { allowEntries, networkPolicy } from "./network-policy.js";
import { networkSentence } from "./network-sentence.js";

function refusalOf(written: Parameters<typeof networkPolicy>[0]): DeerflowError {
  try {
    networkPolicy(written);
  } catch (error) {
    if (DeerflowError.is(error)) return error;
  }
  throw new Error("expected a refusal");
}

/** Entry, what is asked for, and whether it lets it pass. */
const ROWS: readonly (readonly [string, string, boolean])[] = [
  ["example.com", "example.com:443", true],
  ["example.com", "example.com:80", true],
  ["example.com", "EXAMPLE.com:443", true],
  ["example.com", "example.com.:443", true],
  ["EXAMPLE.com.", "example.com:443", true],
  ["example.com", "example.com:22", false],
  ["example.com", "example.com:8443", false],
  ["example.com", "www.example.com:443", false],
  ["example.com", "example.com.evil.org:443", false],
  ["example.com", "evilexample.com:443", false],
  ["example.com", "example.co:443", false],
  ["example.com", "com:443", false],
  ["example.com", "xample.com:443", false],
  ["*.example.com", "www.example.com:443", true],
  ["*.example.com", "a.b.c.example.com:80", true],
  ["*.example.com", "WWW.Example.Com.:443", true],
  ["*.example.com", "example.com:443", false],
  ["*.example.com", "evilexample.com:443", false],
  ["*.example.com", "www.example.com.evil.org:443", false],
  ["*.example.com", "www.example.com:8443", false],
  ["*.example.com:8443", "www.example.com:8443", true],
  ["*.example.com:8443", "www.example.com:443", false],
  ["example.com:8443", "example.com:8443", true],
  ["example.com:8443", "example.com:443", false],
  ["example.com:8443", "example.com:80", false],
  ["example.com:22", "example.com:22", true],
  ["example.com:443", "example.com:443", true],
  ["example.com:443", "example.com:80", false],
  ["bücher.de", "xn--bcher-kva.de:443", true],
  ["xn--bcher-kva.de", "bücher.de:443", true],
  ["*.bücher.de", "www.xn--bcher-kva.de:443", true],
  ["BÜCHER.de", "bücher.de:443", true],
  ["bucher.de", "bücher.de:443", false],
  ["93.184.216.34", "93.184.216.34:443", true],
  ["93.184.216.34", "0x5db8d822:443", true],
  ["93.184.216.34:8080", "93.184.216.34:8080", true],
  ["93.184.216.34", "93.184.216.35:443", false],
  ["93.184.216.34", "93.184.216.34.evil.org:443", false],
  ["2606:4700::1111", "[2606:4700::1111]:443", true],
  ["[2606:4700::1111]", "[2606:4700:0::1111]:443", true],
  ["[2606:4700::1111]:8443", "[2606:4700::1111]:8443", true],
  ["[2606:4700::1111]:8443", "[2606:4700::1111]:443", false],
  ["example.com", "127.0.0.1:443", false],
  ["example.com", "[::1]:80", false],
];

describe("an allow list", () => {
  it.each(ROWS)("with %s: %s passes: %s", (entry, asked, passes) => {
    const target = canonicalAuthority(asked);
    expect(target).toBeDefined();
    const judgement = target && judgeTarget(allowEntries([entry]), target);
    expect(judgement && "allowedBy" in judgement).toBe(passes);
  });

  it("tells a host that is not on it from a port that is not", () => {
    const allow = allowEntries(["example.com", "example.com:8443"]);
    const judge = (host: string, port: number) => judgeTarget(allow, { kind: "name", host, port });
    expect(judge("example.org", 443)).toEqual({ refusal: { code: "host_not_allowed" } });
    expect(judge("example.com", 22)).toEqual({ refusal: { code: "port_not_allowed" } });
    expect(judge("example.com", 8443)).toEqual({ allowedBy: "example.com:8443" });
  });

  it("lets nothing pass when it is empty", () => {
    expect(judgeTarget([], { kind: "name", host: "example.com", port: 443 })).toHaveProperty("refusal");
  });

  it.each([
    ["https://example.com", "URL"],
    ["example.com/path", "no path"],
    ["user@example.com", "no user"],
    ["*", "star"],
    ["*.*.example.com", "star"],
    ["www.*.com", "star"],
    ["exam*.com", "star"],
    ["*example.com", "star"],
    ["*.com", "dot"],
    ["localhost", "dot"],
    ["intranet", "dot"],
    ["app.localhost", "this machine"],
    ["*.localhost", "dot"],
    ["", "no host name"],
    [" ", "no host name"],
    ["example..com", "no host name"],
    ["example.com..", "no host name"],
    ["-example.com", "no host name"],
    ["1.2.3.4.5", "no host name"],
    ["exa mple.com", "no host name"],
    ["example.com\r\nX: y", "no host name"],
    ["exam%70le.com", "no host name"],
    ["example.com:", "port"],
    ["example.com:0", "port"],
    ["example.com:65536", "port"],
    ["example.com:http", "port"],
    ["example.com:080", "port"],
    ["example.com:-1", "port"],
    ["example.com:1:2", "port"],
    ["127.0.0.1", "loopback"],
    ["0x7f.1", "loopback"],
    ["2130706433", "loopback"],
    ["0177.0.0.1:8080", "loopback"],
    ["10.0.0.1", "private"],
    ["192.168.1.1:443", "private"],
    ["169.254.169.254", "metadata"],
    ["100.64.0.1", "shared"],
    ["203.0.113.1", "documentation"],
    ["0.0.0.0", "unspecified"],
    ["255.255.255.255", "broadcast"],
    ["::1", "loopback"],
    ["[::1]:80", "loopback"],
    ["[fd00::1]", "private"],
    ["[::ffff:10.0.0.1]:443", "private"],
    ["*.93.184.216.34", "no names below"],
  ])("cannot have %j: %s", (entry, reason) => {
    const refusal = refusalOf({ mode: "allow_list", allow: ["ok.example.com", entry] });
    expect(refusal.code).toBe("network_policy_invalid");
    expect(refusal.message).toContain(reason);
  });
});

describe("a network policy", () => {
  it("is refused when it has a list that it would not hold to", () => {
    expect(refusalOf({ mode: "open", allow: ["example.com"] }).message).toContain("open");
  });

  it("keeps nothing of a list while it is none", () => {
    expect(networkPolicy({ mode: "none", allow: ["example.com"] })).toEqual({ mode: "none" });
    expect(networkPolicy({ mode: "open" })).toEqual({ mode: "open" });
  });

  it("is one sentence for people and models", () => {
    const many = Array.from({ length: 25 }, (_, index) => `h${index}.example.com`);
    expect([
      networkSentence({ mode: "none" }),
      networkSentence({ mode: "allow_list", allow: [] }),
      networkSentence({ mode: "allow_list", allow: ["a.com", "*.b.com"] }),
      networkSentence({ mode: "allow_list", allow: many }),
      networkSentence({ mode: "open" }),
    ]).toEqual([
      "Commands reach no network.",
      expect.stringContaining("empty"),
      expect.stringContaining("only a.com, *.b.com, over HTTP"),
      expect.stringContaining("h19.example.com and 5 more,"),
      expect.stringContaining("whole network"),
    ]);
  });
});

describe("what a name stands for", () => {
  it.each([
    [["93.184.216.34"], undefined],
    [["93.184.216.34", "2606:4700::1111"], undefined],
    [[], "name_not_found"],
    [["127.0.0.1"], "address_not_public"],
    [["93.184.216.34", "10.0.0.1"], "address_not_public"],
    [["2606:4700::1111", "::ffff:169.254.169.254"], "address_not_public"],
    [["not an address"], "address_not_public"],
    [["5.6.7.8"], "address_not_public"],
    [["::ffff:5.6.7.8"], "address_not_public"],
  ])("%j: %s", (addresses, code) => {
    expect(judgeAddresses(addresses, ["127.0.0.1", "5.6.7.8"])?.code).toBe(code);
  });
});
