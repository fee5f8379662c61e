/**
 * A stand-in for an AIO sandbox's server: the few requests that are used, as its description has them. Commands run
 * on this machine with the folders of `AIO_BINDS` (JSON: `[{source, target, readonly?}]`) where they belong. The port
 * is written to the file of the first argument. With `AIO_IGNORES_KEY` it lets everybody in, with `AIO_IS_OLD` it has
 * no bash service.
 */
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";

const key = process.env["SANDBOX_API_KEY"];
const binds = JSON.parse(process.env["AIO_BINDS"] ?? "[]");
const sessions = new Map();

const placeOf = (path) => {
  const bind = binds.find(({ target }) => path.startsWith(`${target}/`));
  if (bind === undefined) throw new Error("outside");
  return join(bind.source, path.slice(bind.target.length));
};

function exec({ command, env }) {
  const options = binds.flatMap((bind) => [
    "readonly" in bind ? "--ro-bind" : "--bind",
    bind.source,
    bind.target,
  ]);
  const temporary = binds.some(({ target }) => target === "/tmp") ? [] : ["--tmpfs", "/tmp"];
  const child = spawn(
    "bwrap",
    [
      "--dev-bind",
      "/",
      "/",
      ...temporary,
      "--tmpfs",
      "/mnt",
      ...options,
      "--chdir",
      "/",
      "--",
      "bash",
      "-c",
      command,
    ],
    { env: { PATH: process.env["PATH"], ...env }, detached: true, stdio: ["ignore", "pipe", "pipe"] },
  );
  const session = {
    child,
    output: Buffer.alloc(0),
    status: "running",
    exit_code: null,
    wake: () => undefined,
  };
  child.stdout.on("data", (piece) => {
    session.output = Buffer.concat([session.output, piece]);
    session.wake();
  });
  child.on("close", (code) => {
    Object.assign(session, { status: code === null ? "killed" : "completed", exit_code: code });
    session.wake();
  });
  const session_id = randomUUID();
  sessions.set(session_id, session);
  return { session_id, command_id: "1", command, status: "running", offset: 0, stderr_offset: 0 };
}

/** Never gives half a character away. */
const wholeEnd = (bytes) => {
  let end = bytes.length;
  while (end > 0 && (bytes[end] & 0xc0) === 0x80) end -= 1;
  const isCut = bytes.length > 0 && Buffer.from(bytes.toString("utf8")).length !== bytes.length;
  if (!isCut) return bytes.length;
  end = bytes.length - 1;
  while (end > 0 && (bytes[end] & 0xc0) === 0x80) end -= 1;
  return end;
};

async function output({ session_id, offset }) {
  const session = sessions.get(session_id);
  if (session.output.length === offset && session.status === "running") {
    await new Promise((resolve) => {
      session.wake = resolve;
      setTimeout(resolve, 1000);
    });
  }
  const fresh = session.output.subarray(offset);
  const end = wholeEnd(fresh);
  const { status, exit_code } = session;
  const stdout = fresh.subarray(0, end).toString("utf8");
  return { session_id, stdout, offset: offset + end, stderr_offset: 0, command: { status, exit_code } };
}

function kill({ session_id }) {
  const { child, status } = sessions.get(session_id);
  if (status === "running") process.kill(-child.pid, "SIGKILL");
  return {};
}

const SERVICES = {
  "/v1/sandbox": () => ({}),
  "/v1/bash/exec": process.env["AIO_IS_OLD"] ? undefined : exec,
  "/v1/bash/output": output,
  "/v1/bash/kill": kill,
  "/v1/file/write": ({ file, content, encoding }) => {
    writeFileSync(placeOf(file), Buffer.from(content, encoding));
    return {};
  },
};

const server = createServer(async (request, response) => {
  const url = new URL(request.url, "http://localhost");
  const answer = (status, data) => {
    response.writeHead(status, { "content-type": "application/json" });
    response.end(JSON.stringify({ success: status === 200, data }));
  };
  if (key && !process.env["AIO_IGNORES_KEY"] && request.headers["x-aio-api-key"] !== key) return answer(401);
  try {
    if (url.pathname === "/v1/file/download")
      return response.end(readFileSync(placeOf(url.searchParams.get("path"))));
    if (url.pathname.endsWith("/close")) return answer(200, {});
    const service = SERVICES[url.pathname];
    if (service === undefined) return answer(404);
    const pieces = await request.toArray();
    answer(200, await service(pieces.length === 0 ? {} : JSON.parse(Buffer.concat(pieces).toString("utf8"))));
  } catch {
    answer(500);
  }
});
server.listen(0, "127.0.0.1", () => writeFileSync(process.argv[2], String(server.address().port)));
