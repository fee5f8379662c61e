/** Writes a `config.yaml` that explains itself, from the schema: what it says can never be out of date. */
import { stringify } from "yaml";
import { z } from "zod";
import { unwrap } from "./schema-walk.js";
import { CONFIG_VERSION, configSchema } from "./schema.js";

const HEADER = `DeerFlow TS reads this file at its start and again before every run.
Every setting is optional: the values in comments are the defaults.
A value that is $NAME and nothing else is read from the environment.`;

/** A list or mapping in a comment must not go on in the next line. */
const IN_ONE_LINE = { collectionStyle: "flow", lineWidth: 0 } as const;

const INDENT = "  ";

const MODELS = `models:
  - name: my-model
    display_name: My model
    use: openai   # or openai-compatible, anthropic
    model: gpt-5.4
    api_key: $OPENAI_API_KEY
    # base_url: http://127.0.0.1:8000/v1
    # supports_thinking: true
    # supports_reasoning_effort: true
    # supports_vision: true
    # context_window: 128000
    # Every other key goes to the provider as it is:
    # temperature: 0.2`;

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
  return [comment(schema.description), `# ${name}:`, ...settings(inner, INDENT)].join("\n");
}

/** One line a setting; a section inside a section stands below its own name. */
function settings(section: z.ZodObject, indent: string): string[] {
  return Object.entries(section.shape).flatMap(([key, schema]) => {
    const inner = schema instanceof z.ZodPrefault ? unwrap(schema) : undefined;
    if (!(inner instanceof z.ZodObject)) return [setting(indent + key, schema)];
    const description = schema.description === undefined ? "" : `   # ${schema.description}`;
    return [`# ${indent}${key}:${description}`, ...settings(inner, indent + INDENT)];
  });
}

function setting(name: string, schema: z.core.$ZodType): string {
  const indent = name.slice(0, name.length - name.trimStart().length);
  const description = schema instanceof z.ZodType && indent !== "" ? schema.description : undefined;
  const tail = description === undefined ? "" : `   # ${description}`;
  // A setting without a default stays a comment when its section is opened.
  if (!(schema instanceof z.ZodDefault)) return `# ${indent}# ${name.trim()}: …${tail}`;
  return `# ${name}: ${stringify(schema.def.defaultValue, IN_ONE_LINE).trimEnd()}${tail}`;
}

const comment = (text = ""): string =>
  text
    .split("\n")
    .map((line) => `# ${line}`.trimEnd())
    .join("\n");
