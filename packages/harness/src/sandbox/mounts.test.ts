import { describe, expect, it } from "vitest";
import { mountReplacements, pathInFilesystem, resolveMounts } from "./mounts.js";

const mount = (virtualPath: string, hostPath = "/") => ({
  virtualPath,
  hostPath,
  mode: "read-only" as const,
});

describe("mounts", () => {
  it("come outer first", () => {
    const paths = resolveMounts([mount("/mnt/user-data/uploads"), mount("/mnt")]).map((m) => m.virtualPath);
    expect(paths).toEqual(["/mnt", "/mnt/user-data/uploads"]);
  });

  it.each(["relative", "/a/../b", "/a/", "/a\0b", "/", "/usr/x", "/lib64", "/etc", "/proc/1"])(
    "are refused at %j",
    (virtualPath) => {
      expect(() => resolveMounts([mount(virtualPath)])).toThrow(/cannot be shown/);
    },
  );

  it("are refused when the host folder is missing, without naming it", () => {
    expect(() => resolveMounts([mount("/mnt/x", "/nowhere/at/all")])).toThrow(
      "A folder cannot be shown in the sandbox at /mnt/x: its folder is missing.",
    );
  });

  it("are known by their path inside the innermost file system that holds them", () => {
    const table = [
      "22 1 254:0 / / rw - ext4 /dev/vda rw",
      "30 22 0:30 /volumes/home /home rw - ext4 /dev/vdb rw",
    ].join("\n");
    expect(pathInFilesystem(table, "/home/d/ws")).toBe("/volumes/home/d/ws");
    expect(pathInFilesystem(table, "/homes/d")).toBe("/homes/d");
  });

  it("are hidden in the kernel's spelling too, unless their path is as short as a word", () => {
    const spellings = mountReplacements([mount("/mnt/w", "/srv/deer flow/w"), mount("/mnt/x", "/srv/x")]);
    expect(spellings.map(({ from }) => from)).toEqual(
      expect.arrayContaining(["/srv/deer flow/w", "/srv/deer\\040flow/w"]),
    );
    expect(spellings.every(({ to }) => to === "/mnt/w")).toBe(true);
  });
});
