/** Tells the model which files came with a message; the stored message stays what the user wrote. */
import { type BaseMessage, HumanMessage } from "@langchain/core/messages";
import { createMiddleware } from "langchain";
import { z } from "zod";
import { counted } from "../base/counted.js";

/** What a client puts into `additional_kwargs.files`; anything else in it is ignored. */
const uploadedFile = z.object({
  filename: z.string().max(255),
  size: z.number().nonnegative().optional(),
  path: z.string().max(1024).startsWith("/mnt/user-data/uploads/"),
});
const MAXIMUM_FILES = 10;

export function uploads() {
  return createMiddleware({
    name: "uploads",
    wrapModelCall: (request, next) => next({ ...request, messages: request.messages.map(withUploadBlock) }),
  });
}

/** A copy of the message with an `<uploaded_files>` block in front, where files came with it. */
export function withUploadBlock(message: BaseMessage): BaseMessage {
  if (!HumanMessage.isInstance(message)) return message;
  const block = uploadBlock(message.additional_kwargs["files"]);
  if (block === undefined) return message;
  const content = Array.isArray(message.content)
    ? [{ type: "text" as const, text: block }, ...message.content]
    : `${block}\n\n${message.content}`;
  return new HumanMessage({
    ...(message.id === undefined ? {} : { id: message.id }),
    content,
    additional_kwargs: message.additional_kwargs,
  });
}

function uploadBlock(files: unknown): string | undefined {
  const parsed = z.array(z.unknown()).safeParse(files);
  const known = (parsed.data ?? []).flatMap((file) => uploadedFile.safeParse(file).data ?? []);
  if (known.length === 0) return undefined;
  const lines = known
    .slice(0, MAXIMUM_FILES)
    .map(({ path, size }) => `- ${oneLine(path)}${size === undefined ? "" : ` (${counted(size, "byte")})`}`);
  if (known.length > MAXIMUM_FILES) lines.push(`- and ${known.length - MAXIMUM_FILES} more; list the folder`);
  return ["<uploaded_files>", ...lines, "</uploaded_files>"].join("\n");
}

/** A file's name is the user's text: it must not end the block or open another. */
const oneLine = (text: string): string => text.replaceAll(/[\r\n<>]/g, "_");
