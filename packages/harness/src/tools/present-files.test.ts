import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Command } from "@langchain/langgraph";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { VIRTUAL_OUTPUTS } from "../context/home-paths.js";
import { MountedDiskBackend } from "../filesystem/mounted-disk-backend.js";
import { presentFiles } from "./present-files.js";

const report = `${VIRTUAL_OUTPUTS}/report.md`;

describe("present_files", () => {
  let host: string;
  let call: (filepaths: unknown) => Promise<unknown>;
  beforeEach(async () => {
    host = await mkdtemp(join(tmpdir(), "deerflow-present-"));
    await writeFile(join(host, "report.md"), "r");
    const tool = presentFiles(
      new MountedDiskBackend({
        mounts: [{ virtualPath: VIRTUAL_OUTPUTS, hostPath: host, mode: "read-write" }],
      }),
    );
    call = (filepaths) =>
      tool.invoke({ type: "tool_call", id: "c", name: "present_files", args: { filepaths } });
  });
  afterEach(() => rm(host, { recursive: true }));

  it.each([[[report]], [[report, `${VIRTUAL_OUTPUTS}//report.md`]], [report], [JSON.stringify([report])]])(
    "adds %j to the artifacts",
    async (filepaths) => {
      const answer = await call(filepaths);
      expect(answer).toBeInstanceOf(Command);
      expect((answer as Command).update).toMatchObject({
        artifacts: [report],
        messages: [{ content: `Presented: ${report}`, tool_call_id: "c", status: "success" }],
      });
    },
  );

  it.each([
    [["/mnt/user-data/workspace/x"], "path_denied"],
    [[`${VIRTUAL_OUTPUTS}-evil/x`], "path_denied"],
    [[`${VIRTUAL_OUTPUTS}/no`], "path_not_found"],
    [[VIRTUAL_OUTPUTS], "is_a_directory"],
    [[report, "report.md"], "path_invalid"],
    [[], "arguments_invalid"],
  ])("refuses %j", async (filepaths, code) => {
    expect(await call(filepaths)).toMatchObject({ status: "error", artifact: { code } });
  });
});
