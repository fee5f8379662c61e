/** Reads a content block of any provider's shape as one kind of media. Pure; the blocks are hostile. */
import { isRecord } from "../base/json.js";

/** `file` is every file that is none of the others. */
export type MediaKind = "image" | "audio" | "video" | "pdf" | "file";

export interface MediaBlock {
  readonly kind: MediaKind;
  /** Lower case, without parameters; undefined where the block does not say a usable one. */
  readonly mimeType: string | undefined;
  /** How the content is given: in the block itself, by an address, or by an id at the provider. */
  readonly source: "data" | "url" | "id";
  /** The file's name or path, where the block says it. */
  readonly name: string | undefined;
  /** True for a block of LangChain's own that every client has to translate, not one of a provider's. */
  readonly isStandard: boolean;
}

type Fields = Readonly<Record<string, unknown>>;

/** Types of blocks that hold media, with the key under which a provider nests the content, if it does. */
const SHAPES: Readonly<Record<string, { readonly kind?: MediaKind; readonly nested?: string }>> = {
  image: { kind: "image", nested: "source" },
  image_url: { kind: "image", nested: "image_url" },
  input_image: { kind: "image", nested: "image_url" },
  audio: { kind: "audio" },
  input_audio: { kind: "audio", nested: "input_audio" },
  video: { kind: "video" },
  file: { nested: "file" },
  input_file: {},
  document: { nested: "source" },
  media: {},
};

const DATA_KEYS = ["data", "base64", "file_data"] as const;
const URL_KEYS = ["url", "image_url", "file_url", "fileUri"] as const;
const ID_KEYS = ["fileId", "file_id"] as const;
const MIME_KEYS = ["mimeType", "mime_type", "media_type"] as const;
const NAME_KEYS = ["path", "filename", "name", "title"] as const;

/** What the block holds; undefined for text and for everything that is no media. */
export function readMediaBlock(block: unknown): MediaBlock | undefined {
  if (!isRecord(block) || typeof block["type"] !== "string") return undefined;
  if (!Object.hasOwn(SHAPES, block["type"])) return undefined;
  const shape = SHAPES[block["type"]];
  const layers = layersOf(block, shape?.nested);
  const content = contentOf(layers);
  if (content === undefined) return undefined;
  const mimeType = mimeTypeOf(layers, content.text);
  const kind = shape?.kind ?? kindOfMimeType(mimeType ?? (block["type"] === "document" ? PDF : ""));
  const isStandard = layers.length === 1 && STANDARD_TYPES.has(block["type"]);
  return { kind, mimeType, source: content.source, name: nameIn([...layers, block["metadata"]]), isStandard };
}

const PDF = "application/pdf";
const STANDARD_TYPES: ReadonlySet<string> = new Set(["image", "audio", "video", "file"]);

/**
 * A standard block in the older spelling, with `source_type`, which the clients of OpenAI's protocol translate; the
 * newer one they send on as it is. The very same block where it is spelled so already, or is no standard one.
 */
export function withSourceType(block: object): object {
  const fields: Fields = { ...block };
  const media = readMediaBlock(fields);
  if (media === undefined || !media.isStandard || "source_type" in fields) return block;
  const { mimeType, name } = media;
  const metadata = isRecord(fields["metadata"]) ? fields["metadata"] : {};
  return {
    type: fields["type"],
    ...sourceOf(media, fields),
    ...(mimeType === undefined ? {} : { mime_type: mimeType }),
    metadata: name === undefined ? metadata : { filename: name.split("/").at(-1), ...metadata },
  };
}

function sourceOf({ source }: MediaBlock, fields: Fields): Fields {
  const { url, data, base64, fileId } = fields;
  if (source === "id") return { source_type: "id", id: fileId };
  if (typeof url === "string") return { source_type: "url", url };
  const given = data ?? base64;
  const text = given instanceof Uint8Array ? Buffer.from(given).toString("base64") : given;
  return { source_type: "base64", data: text };
}

/** The block and what it nests, the inner first. An address may stand for the nested part. */
function layersOf(block: Fields, nested: string | undefined): readonly Fields[] {
  const inner = nested === undefined ? undefined : block[nested];
  if (typeof inner === "string") return [{ url: inner }, block];
  return isRecord(inner) ? [inner, block] : [block];
}

interface Content {
  readonly source: MediaBlock["source"];
  readonly text: string;
}

function contentOf(layers: readonly Fields[]): Content | undefined {
  const address = stringIn(layers, URL_KEYS);
  if (address !== undefined) return { source: /^data:/i.test(address) ? "data" : "url", text: address };
  const data = stringIn(layers, DATA_KEYS);
  if (data !== undefined) return { source: "data", text: data };
  if (layers.some((layer) => layer["data"] instanceof Uint8Array)) return { source: "data", text: "" };
  const id =
    stringIn(layers, ID_KEYS) ??
    stringIn(
      layers.filter((layer) => layer["source_type"] === "id"),
      ["id"],
    );
  return id === undefined ? undefined : { source: "id", text: id };
}

function stringIn(layers: readonly Fields[], keys: readonly string[]): string | undefined {
  for (const layer of layers) {
    const key = keys.find((name) => typeof layer[name] === "string");
    if (key !== undefined) return String(layer[key]);
  }
  return undefined;
}

/** Anything longer or odder is no type that a model or a provider knows. */
const MIME_TYPE = /^[a-z0-9][a-z0-9.+-]{0,60}\/[a-z0-9][a-z0-9.+-]{0,100}$/;
const LONGEST_HEADER = 200;

function mimeTypeOf(layers: readonly Fields[], content: string): string | undefined {
  const format = stringIn(layers, ["format"]);
  const said =
    stringIn(layers, MIME_KEYS) ??
    /^data:([^;,]+)/i.exec(content.slice(0, LONGEST_HEADER))?.[1] ??
    (format === undefined ? undefined : `audio/${format}`);
  const plain = said?.slice(0, LONGEST_HEADER).split(";")[0]?.trim().toLowerCase();
  return plain !== undefined && MIME_TYPE.test(plain) ? plain : undefined;
}

function kindOfMimeType(mimeType: string): MediaKind {
  if (mimeType === PDF) return "pdf";
  const family = mimeType.split("/")[0];
  return family === "image" || family === "audio" || family === "video" ? family : "file";
}

const nameIn = (layers: readonly unknown[]): string | undefined =>
  stringIn(layers.filter(isRecord), NAME_KEYS);
