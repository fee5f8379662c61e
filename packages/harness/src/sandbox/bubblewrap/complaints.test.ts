import { expect, it } from "vitest";
import { complaintsIn, withComplaints } from "./complaints.js";

it.each([
  "bwrap: Can't find source path /x: No such file or directory\n",
  "/usr/bin/bwrap: error while loading shared libraries: libcap.so.2: cannot open shared object file\n",
  "sandbox: 1: echo: echo: I/O error\n",
  "a warning\nsandbox: the bridge to the network did not start\n",
])("takes %j for a failure of the sandbox", (text) => {
  expect(complaintsIn(text)).toEqual({ failure: text.trim(), output: "" });
});

it.each([
  "",
  "ERROR: ld.so: object '/x.so' from LD_PRELOAD cannot be preloaded: ignored.\n",
  "        1:\tfind library=libc.so.6 [0]; searching\n",
  "sh: error while loading shared libraries: libc.so.6\n",
])("takes %j for output of the command", (text) => {
  expect(complaintsIn(text)).toEqual({ output: text });
});

it("puts it on a line of its own", () => {
  expect(["", "a\n", "a"].map((output) => withComplaints(output, "b\n"))).toEqual([
    "b\n",
    "a\nb\n",
    "a\nb\n",
  ]);
  expect(withComplaints("a", "")).toBe("a");
});
