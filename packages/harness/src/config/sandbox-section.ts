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
  processes: integer({ min: 8, fallback: 256 }).describe("Processes of a command at once."),
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

export const sandboxSection = section({
  provider: z
    .enum(["auto", "bubblewrap", "local", "none"])
    .default("auto")
    .describe("auto takes bubblewrap where it works, else there is no shell. local needs allow_host_bash."),
  allow_host_bash: flag(false).describe("Lets commands run on this machine with no isolation at all."),
  bash_command_timeout: integer({ min: 1, fallback: 600 }).describe("Seconds until a command is killed."),
  bash_output_max_chars: integer({ min: 1, fallback: 20_000 }).describe(
    "Characters of output the model sees.",
  ),
  read_file_output_max_chars: integer({ min: 1, fallback: 50_000 }).describe("Characters of one read_file."),
  ls_output_max_chars: integer({ min: 1, fallback: 20_000 }).describe("Characters of one ls."),
  environment: z
    .record(
      z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, "a name of letters, digits and underscores"),
      textValue,
    )
    .default({})
    .describe("Variables of every command, as {API_KEY: $API_KEY}. Output never shows their values."),
  limits: limitsSection,
  network: networkSection,
});
