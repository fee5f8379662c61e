import { describe, expect, it } from "vitest";
import { networkBridge } from "./network-bridge.js";
import { BRIDGE_PORT, networkPart } from "./network-part.js";

const INNER = { file: "/usr/bin/bwrap", arguments: ["--args", "3"], feeds: [new Uint8Array([1])] };
const HOST = { bubblewrap: "/usr/bin/bwrap", nodePath: "/usr/bin/node", folder: "/tmp/egress" };

describe("the bridge to the network", () => {
  it("is a bubblewrap around the one that runs the command, which it leaves as it is", () => {
    const launch = networkBridge({ ...HOST, socat: undefined })(INNER);
    expect(launch.file).toBe("/usr/bin/bwrap");
    expect(launch.arguments.slice(-4)).toEqual(["--", "/usr/bin/bwrap", "--args", "3"]);
    expect(launch.feeds).toBe(INNER.feeds);
  });

  it("has a network of its own, ends with its parent, and lets the inner one make its walls", () => {
    const { arguments: words } = networkBridge({ ...HOST, socat: undefined })(INNER);
    expect(words).toEqual(expect.arrayContaining(["--unshare-net", "--unshare-pid", "--die-with-parent"]));
    expect(words).not.toContain("--disable-userns");
    expect(words).not.toContain("--seccomp");
  });

  it("is socat where there is one, and node where there is none", () => {
    const withSocat = networkBridge({ ...HOST, socat: "/usr/bin/socat" })(INNER).arguments;
    expect(withSocat).toContain("/usr/bin/socat");
    expect(withSocat).not.toContain("/usr/bin/node");
    expect(networkBridge({ ...HOST, socat: undefined })(INNER).arguments).toContain("/usr/bin/node");
  });
});

describe("what the walls leave open", () => {
  it("is nothing by default", () => {
    expect(networkPart({ mode: "none" })).toEqual({ options: [], env: {} });
  });

  it("is the way to the bridge with an allow list, with no exception but the sandbox itself", () => {
    const { options, env } = networkPart({ mode: "allow_list", allow: ["example.com"] });
    expect(options).toEqual([["--share-net"]]);
    expect(env).toMatchObject({
      https_proxy: `http://127.0.0.1:${BRIDGE_PORT}`,
      ALL_PROXY: `http://127.0.0.1:${BRIDGE_PORT}`,
    });
    expect([env["NO_PROXY"], env["no_proxy"]]).toEqual(Array(2).fill("localhost,127.0.0.1,::1"));
  });

  it("is the host's network with its resolver when it is open", () => {
    const { options, env } = networkPart({ mode: "open" });
    expect(options.flat()).toEqual(["--share-net", "--ro-bind-try", "/etc/resolv.conf", "/etc/resolv.conf"]);
    expect(env).toEqual({});
  });
});
