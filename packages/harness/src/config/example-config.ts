/** Writes a `config.yaml` that explains itself, from the schema: what it says can never be out of date. */
import { stringify } from "yaml";
import { z } from "zod";
import { readProse } from "../base/prose.js";
import { unwrap } from "./schema-walk.js";
import { CONFIG_VERSION, configSchema } from "./schema.js";

const MODELS = readProse(new URL("./example-models.md", import.meta.url));
const HEADER = readProse(new URL("./example-header.md", import.meta.url));

/** The text of a valid `config.yaml` in which every setting stands commented with its default. */
export function exampleConfig(): string {
  const sections = Object.entries(configSchema.shape).map(([name, schema]) => {
    if (name === "config_version") return `config_version: ${CONFIG_VERSION}`;
    if (name === "models") return `${comment(schema.description)}\n${comment(MODELS)}`;
    return sectionText(name, schema);
  });
  return `${comment(HEADER)}\n\n${sections.join("\n\n")}\n`;
}

function sectionText(name: string, schema: z.ZodType): string {
  const inner = unwrap(schema);
  if (!(inner instanceof z.ZodObject)) return `${comment(schema.description)}\n${setting(name, schema)}`;
  const lines = Object.entries(inner.shape).map(([key, keySchema]) => `${setting(`  ${key}`, keySchema)}`);
  return [comment(schema.description), `# ${name}:`, ...lines].join("\n");
}

function setting(name: string, schema: z.core.$ZodType): string {
  const fallback = schema instanceof z.ZodDefault ? stringify(schema.def.defaultValue).trimEnd() : "";
  const description = schema instanceof z.ZodType ? schema.description : undefined;
  const line = `# ${name}: ${fallback}`.trimEnd();
  return description === undefined || !name.startsWith(" ") ? line : `${line}   # ${description}`;
}

const comment = (text = ""): string =>
  text
    .split("\n")
    .map((line) => `# ${line}`.trimEnd())
    .join("\n");
