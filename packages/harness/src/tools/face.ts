/** How one dialect offers one operation to a model. The operation itself is written once, beside this file. */
import type { z } from "zod";
import type { FileBackend } from "../filesystem/contract.js";
import { reasonOf } from "../base/errors.js";
import type { Logger } from "../base/logger.js";
import type { Sandbox } from "../sandbox/contract.js";
import { type Author, defineTool, type Operation, type ToolOutcome } from "./define-tool.js";
import type { FileToolLimits } from "./limits.js";
import type { OutputFiles } from "./output-files.js";
import type { VideoFrames } from "./video-frames.js";

/** The file and shell tools, in the order in which a model sees them. */
export const TOOL_KINDS = ["list", "read", "write", "edit", "delete", "glob", "grep", "execute"] as const;
export type ToolKind = (typeof TOOL_KINDS)[number] & Operation;

/** What a face may count on when it speaks to a model: the numbers, and which other tools the model has. */
export interface Surroundings {
  readonly limits: FileToolLimits;
  readonly visible: ReadonlySet<ToolKind>;
}

/** What a call is understood by. */
export interface CallSetting {
  readonly limits: FileToolLimits;
  /** Where a path that is not absolute was probably meant to lie. */
  readonly workingDirectory: string;
}

/** One tool of one dialect. Its methods are pure. */
export interface Face<Input extends z.ZodObject, Request, Result> {
  readonly name: string;
  /** Other names under which models send an argument, with its own. */
  readonly aliases: Readonly<Record<string, string>>;
  input(limits: FileToolLimits): Input;
  /** What the model reads before it calls. Names no tool that is not visible. */
  describe(surroundings: Surroundings): string;
  /**
   * What a call asks for.
   * @throws DeerflowError of the kind that a model can mend
   */
  request(given: z.output<Input>, setting: CallSetting): Request;
  /** What the model is told. @throws DeerflowError likewise */
  answer(result: Result, request: Request, surroundings: Surroundings): ToolOutcome;
}

/** A face of any input: a call is parsed by the face's own input before its other methods see it. */
export type AnyFace<Request, Result> = Face<z.ZodObject, Request, Result>;

/** Who asked, and who hears of the work while it goes on. */
export interface Asked {
  readonly callId: string;
  /** As the model calls it. */
  readonly tool: string;
  /** Writes into the stream mode `custom` of the run; absent where nobody listens. */
  readonly send: ((event: unknown) => void) | null | undefined;
}

/** Where a tool works. */
export interface Workplace extends Surroundings, CallSetting {
  readonly files: FileBackend;
  readonly shell: Sandbox | undefined;
  /** Takes what a command prints beyond what is shown of it. */
  readonly outputFiles: OutputFiles | undefined;
  readonly videoFrames: VideoFrames | undefined;
  readonly logger: Logger;
  readonly signal: AbortSignal | undefined;
  readonly asked: Asked;
}

/** What is the same for all calls. */
export type FixedWorkplace = Omit<Workplace, "signal" | "asked">;

/** Does what is asked, with the effects that takes. */
export type Perform<Request, Result> = (request: Request, workplace: Workplace) => Promise<Result>;

export interface FaceToolOptions<Request, Result> {
  readonly kind: ToolKind;
  readonly face: AnyFace<Request, Result>;
  readonly perform: Perform<Request, Result>;
  /** Replaces the face's own. */
  readonly description: string | undefined;
  readonly workplace: FixedWorkplace;
}

/** The tool that a face and an operation make. */
export function faceTool<Request, Result>(options: FaceToolOptions<Request, Result>) {
  const { kind, face, perform, description, workplace } = options;
  const author: Author = description === undefined ? "face" : "caller";
  return defineTool({
    name: face.name,
    operation: kind,
    description: description ?? face.describe(workplace),
    describedBy: author,
    input: face.input(workplace.limits),
    aliases: face.aliases,
    onUnforeseen: (tool, error) =>
      workplace.logger.warn("A file tool failed", { tool, reason: reasonOf(error) }),
    async run(given, { signal, writer, toolCallId, toolCall }) {
      const request = face.request(given, workplace);
      const asked = { callId: toolCallId ?? toolCall?.id ?? "", tool: face.name, send: writer };
      const result = await perform(request, { ...workplace, signal, asked });
      return face.answer(result, request, workplace);
    },
  });
}
