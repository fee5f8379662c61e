/** Where commands run, what they may use and reach, and how much of their output a model sees. */
import { z } from "zod";
import { flag, integer, section } from "./schema-parts.js";

/** YAML reads `8080` and `true` as no text. */
const textValue = z.preprocess(
  (value) => (typeof value === "number" || typeof value === "boolean" ? String(value) : value),
  z.string(),
);

const NETWORK_MODES = ["none", "allow_list", "open"] as const;

const limitsSection = section({
  cpu_seconds: integer({ min: 1, fallback: 600 }).describe("Seconds of processor time of one process."),
  processors: integer({ min: 0, fallback: 0 }).describe(
    "Processors that a command may keep busy; 0 for all.",
  ),
  memory_mb: integer({ min: 64, fallback: 2048 }).describe("Mebibytes of memory of a command."),
  processes: integer({ min: 8, fallback: 256 }).describe("Processes and threads of a command at once."),
  open_files: integer({ min: 64, fallback: 1024 }).describe("Open files of one process."),
  file_mb: integer({ min: 1, fallback: 1024 }).describe("Mebibytes of one file that a command writes."),
  temporary_mb: integer({ min: 1, fallback: 256 }).describe("Mebibytes of the temporary folder."),
  free_disk_mb: integer({ min: 0, fallback: 512 }).describe(
    "Mebibytes of the disk that must stay free; a command that takes more is ended.",
  ),
}).describe("What one command may use.");

const networkSection = section({
  mode: z
    .enum(NETWORK_MODES)
    .default("none")
    .describe("none, allow_list (only the hosts of allow, over a proxy that logs every request) or open."),
  allow: z
    .array(z.string().min(1))
    .default([])
    .describe("Hosts for allow_list, as example.com, *.example.com or example.com:8443."),
}).describe("What commands reach of the network. Only for bubblewrap.");

const dockerSection = section({
  mode: z
    .enum(["exec", "aio"])
    .default("exec")
    .describe(
      "exec runs commands with docker exec; aio over HTTP, in an AIO sandbox (needs network.mode: open).",
    ),
  image: z
    .string()
    .min(1)
    .optional()
    .describe("An image with bash that is there already, as node:20-bookworm."),
  base_url: z
    .url()
    .optional()
    .describe("An AIO sandbox that runs already; one thread after the other uses it."),
  api_key: z
    .string()
    .min(1)
    .optional()
    .describe("Its key. Needed for an address that is not on this machine."),
  container_prefix: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9_.-]*$/, "a name that docker takes")
    .default("deer-flow-sandbox")
    .describe("Begins the names of containers."),
}).describe("Containers. Untested against a real engine.");

const remoteSection = section({
  use: z
    .string()
    .regex(/^.+:[A-Za-z_$][\w$]*$/, "package:export")
    .optional()
    .describe("An installed provider of deepagents' sandbox protocol, as package:export."),
  options: z
    .record(z.string(), z.unknown())
    .default({})
    .describe("Handed to the export, as {apiKey: $PROVIDER_KEY}."),
  working_directory: z
    .string()
    .startsWith("/")
    .optional()
    .describe("Where commands start; the thread's workspace without it."),
}).describe("Sandboxes elsewhere. The thread's files are copied into them and back.");

const mountSchema = z.strictObject({
  host_path: z.string().startsWith("/"),
  container_path: z.string().startsWith("/"),
  read_only: flag(false),
});

export const sandboxSection = section({
  provider: z
    .enum(["auto", "bubblewrap", "docker", "remote", "local", "none"])
    .default("auto")
    .describe(
      "auto takes the first that works of bubblewrap, docker and remote, the last two only with their settings below; else there is no shell. local needs allow_host_bash.",
    ),
  allow_host_bash: flag(false).describe("Lets commands run on this machine with no isolation at all."),
  bash_command_timeout: integer({ min: 1, fallback: 600 }).describe("Seconds until a command is killed."),
  bash_output_max_chars: integer({ min: 1, fallback: 20_000 }).describe(
    "Characters of output that one answer holds; tool_output may show fewer. All of it is in a file.",
  ),
  read_file_output_max_chars: integer({ min: 1, fallback: 50_000 }).describe("Characters of one read_file."),
  ls_output_max_chars: integer({ min: 1, fallback: 20_000 }).describe("Characters of one ls."),
  environment: z
    .record(
      z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, "a name of letters, digits and underscores"),
      textValue,
    )
    .default({})
    .describe(
      "Variables of every command, as {API_KEY: $API_KEY}. What commands print does not show those that are secrets by their name (key, token, password, …) or their look.",
    ),
  mounts: z
    .array(mountSchema)
    .default([])
    .describe(
      "More folders for commands and file tools, as [{host_path: /data, container_path: /mnt/data, read_only: true}]. A folder must not lie inside another that is not read-only, nor hold or lie in the folders of threads.",
    ),
  replicas: integer({ min: 1, fallback: 3 }).describe("Containers or remote sandboxes at once."),
  idle_timeout: integer({ min: 0, fallback: 600 }).describe(
    "Seconds that one of these is kept after its last use; 0 keeps it to the end.",
  ),
  limits: limitsSection,
  network: networkSection,
  docker: dockerSection,
  remote: remoteSection,
});
