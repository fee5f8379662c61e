/**
 * A stand-in for docker and its engine. It keeps what it was asked in `$DOCKER_CONFIG/calls.jsonl`, and runs a
 * container's commands on this machine, with the mounts where they belong. As with docker, a command outlives the
 * `docker exec` that began it.
 */
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const state = process.env["DOCKER_CONFIG"];
const args = process.argv.slice(2);
const folder = join(state, "containers");
mkdirSync(folder, { recursive: true });
appendFileSync(join(state, "calls.jsonl"), `${JSON.stringify(args)}\n`);

const fail = (text, code = 1) => {
  process.stderr.write(`${text}\n`);
  process.exitCode = code;
};
const file = (name) => join(folder, `${name}.json`);
const valuesOf = (option) => args.flatMap((arg, index) => (arg === option ? [args[index + 1]] : []));

/** One line of comma-separated fields, where a quoted one may hold anything. */
const fieldsOf = (line) =>
  Object.fromEntries(
    [...line.matchAll(/"((?:[^"]|"")*)"|([^,]+)/g)].map(([, quoted, plain]) => {
      const [name, ...value] = (quoted?.replaceAll('""', '"') ?? plain).split("=");
      return [name, value.join("=")];
    }),
  );

function run() {
  const [name] = valuesOf("--name");
  const mounts = valuesOf("--mount").map(fieldsOf);
  const missing = mounts.find(({ source }) => !existsSync(source));
  if (missing !== undefined)
    return fail(`docker: Error response from daemon: no such path: ${missing.source}`, 125);
  const label = valuesOf("--label")[0]?.split("=").slice(1).join("=");
  const pid = args.includes("--publish") ? serve(name, mounts) : undefined;
  writeFileSync(file(name), JSON.stringify({ mounts, label, pid }));
  process.stdout.write(`${randomBytes(32).toString("hex")}\n`);
}

/** An image that serves: an AIO sandbox on a port of this machine. The name of the image says how it misbehaves. */
function serve(name, mounts) {
  const image = args.at(-1);
  const { SANDBOX_API_KEY, PATH } = process.env;
  const program = fileURLToPath(new URL("aio-stand-in.mjs", import.meta.url));
  const env = { PATH, SANDBOX_API_KEY, AIO_BINDS: JSON.stringify(mounts) };
  if (image.startsWith("keyless/")) env["AIO_IGNORES_KEY"] = "1";
  if (image.startsWith("old/")) env["AIO_IS_OLD"] = "1";
  if (image.startsWith("silent/")) return undefined;
  const child = spawn(process.execPath, [program, join(state, `${name}.port`)], {
    env,
    detached: true,
    stdio: "ignore",
  });
  child.unref();
  return child.pid;
}

function port() {
  const path = join(state, `${args[1]}.port`);
  const until = Date.now() + 20_000;
  while (!existsSync(path) || readFileSync(path, "utf8") === "") {
    if (Date.now() > until) return fail("Error: No public port");
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
  }
  process.stdout.write(`127.0.0.1:${readFileSync(path, "utf8")}\n`);
}

function remove(name) {
  if (!existsSync(file(name))) return;
  const { pid } = JSON.parse(readFileSync(file(name), "utf8"));
  rmSync(file(name));
  if (pid !== undefined) process.kill(pid, "SIGKILL");
}

function exec() {
  let at = 1;
  const env = { PATH: process.env["PATH"] };
  while (args[at] === "--env") {
    const [name, ...value] = args[at + 1].split("=");
    env[name] = value.length === 0 ? process.env[name] : value.join("=");
    at += 2;
  }
  const [container, ...command] = args.slice(at);
  if (!existsSync(file(container)))
    return fail(`Error response from daemon: No such container: ${container}`);
  const { mounts } = JSON.parse(readFileSync(file(container), "utf8"));
  const binds = mounts.flatMap((mount) => [
    "readonly" in mount ? "--ro-bind" : "--bind",
    mount.source,
    mount.target,
  ]);
  const root = ["--dev-bind", "/", "/", "--tmpfs", "/tmp", "--tmpfs", "/mnt", ...binds, "--chdir", "/"];
  const child = spawn("bwrap", [...root, "--", ...command], {
    env,
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
  child.stdout.pipe(process.stdout);
  child.stderr.pipe(process.stderr);
  child.on("close", (code) => {
    process.exitCode = code ?? 137;
  });
}

function list() {
  for (const name of readdirSync(folder)) {
    const { label } = JSON.parse(readFileSync(join(folder, name), "utf8"));
    process.stdout.write(`${name.replace(/\.json$/, "")}\t${label}\n`);
  }
}

const COMMANDS = {
  version: () => process.stdout.write("0.0.0-stand-in\n"),
  image: () =>
    args.at(-1).startsWith("missing/") ? fail(`Error: No such image: ${args.at(-1)}`) : undefined,
  run,
  exec,
  ps: list,
  port,
  rm: () => args.slice(3).forEach(remove),
};

if (existsSync(join(state, "engine-is-down"))) {
  fail("Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?");
} else COMMANDS[args[0]]();
