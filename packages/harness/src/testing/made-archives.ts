/** Zip and tar files made by hand, so that each can be wrong in its own way. */
import { crc32, deflateRawSync, gzipSync } from "node:zlib";

export interface ZipMember {
  readonly name: string | Buffer;
  readonly content?: string | Buffer;
  /** Default deflated. */
  readonly method?: number;
  readonly flags?: number;
  /** The upper half of the external attributes: type and mode. */
  readonly unixMode?: number;
  readonly dosAttributes?: number;
  /** In place of the truth. */
  readonly declaredSize?: number;
  readonly declaredSum?: number;
  readonly localName?: string | Buffer;
  /** Stands on the header of this earlier member instead of having one. */
  readonly on?: number;
  /** In place of the packed content. */
  readonly packed?: Buffer;
}

const u16 = (value: number): Buffer => {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16LE(value);
  return bytes;
};
const u32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value >>> 0);
  return bytes;
};

const DEFLATED = 8;

/** @param declaredCount in place of the number of members */
export function madeZip(members: readonly ZipMember[], declaredCount = members.length): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  const offsets: number[] = [];
  let offset = 0;
  for (const member of members) {
    const { local, central } = zipMember(member);
    const start = member.on === undefined ? offset : (offsets[member.on] ?? 0);
    offsets.push(start);
    if (member.on === undefined) parts.push(local);
    if (member.on === undefined) offset += local.length;
    directory.push(central(start));
  }
  const listed = Buffer.concat(directory);
  const count = u16(Math.min(declaredCount, 0xffff));
  const end = [u32(0x06054b50), u16(0), u16(0), count, count, u32(listed.length), u32(offset), u16(0)];
  return Buffer.concat([...parts, listed, ...end]);
}

function zipMember(member: ZipMember): { local: Buffer; central: (offset: number) => Buffer } {
  const { method = DEFLATED, flags = 0x800, unixMode = 0, dosAttributes = 0 } = member;
  const name = Buffer.from(member.name);
  const localName = Buffer.from(member.localName ?? member.name);
  const content = Buffer.from(member.content ?? "");
  const packed = member.packed ?? (method === DEFLATED ? deflateRawSync(content) : content);
  const sum = u32(member.declaredSum ?? crc32(content));
  const size = u32(member.declaredSize ?? content.length);
  const facts = [u16(flags), u16(method), u16(0), u16(0), sum, u32(packed.length), size];
  const local = [u32(0x04034b50), u16(20), ...facts, u16(localName.length), u16(0), localName, packed];
  const attributes = u32(unixMode * 0x10000 + dosAttributes);
  return {
    local: Buffer.concat(local),
    central: (offset) =>
      Buffer.concat([
        u32(0x02014b50),
        u16(0x0314),
        u16(20),
        ...facts,
        u16(name.length),
        Buffer.alloc(8),
        attributes,
        u32(offset),
        name,
      ]),
  };
}

export interface TarMember {
  readonly name: string | Buffer;
  readonly content?: string | Buffer;
  /** The letter of its kind; `0`, a file, by default. */
  readonly type?: string;
  readonly link?: string;
  readonly mode?: number;
  readonly declaredSize?: number;
}

const BLOCK = 512;
const octal = (value: number, width: number): string => value.toString(8).padStart(width, "0");

const NAME_BYTES = 100;

/** Names that are too long for a header are put before it, as every tar does. */
export const madeTar = (members: readonly TarMember[]): Buffer =>
  Buffer.concat([
    ...members.flatMap((member) =>
      member.name.length > NAME_BYTES
        ? [tarMember(paxMember("path", String(member.name))), tarMember({ ...member, name: "long" })]
        : [tarMember(member)],
    ),
    Buffer.alloc(2 * BLOCK),
  ]);

export const madeTarGz = (members: readonly TarMember[]): Buffer => gzipSync(madeTar(members));

function tarMember({
  name,
  content = "",
  type = "0",
  link = "",
  mode = 0o644,
  declaredSize,
}: TarMember): Buffer {
  const bytes = Buffer.from(content);
  const header = Buffer.alloc(BLOCK);
  Buffer.from(name).copy(header, 0);
  header.write(octal(mode, 7), 100);
  header.write(octal(0, 7), 108);
  header.write(octal(0, 7), 116);
  header.write(octal(declaredSize ?? bytes.length, 11), 124);
  header.write(octal(0, 11), 136);
  header.write("        ", 148);
  header.write(type, 156);
  header.write(link, 157);
  header.write("ustar\x0000", 257);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${octal(sum, 6)}\0 `, 148);
  return Buffer.concat([header, bytes, Buffer.alloc((BLOCK - (bytes.length % BLOCK)) % BLOCK)]);
}

/** A record of the newer tar format, which stands before the entry that it is about. */
export function paxMember(key: string, value: string): TarMember {
  const text = ` ${key}=${value}\n`;
  let length = Buffer.byteLength(text) + 1;
  while (`${length}`.length + Buffer.byteLength(text) !== length)
    length = `${length}`.length + Buffer.byteLength(text);
  return { name: "pax", type: "x", content: `${length}${text}` };
}
