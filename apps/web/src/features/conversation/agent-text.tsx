/** One text of the agent, with its reasoning above it. */
import type { ViewMessage } from "@deerflow/client";
import { memo } from "react";
import { Markdown } from "./markdown.js";
import { Reasoning } from "./reasoning.js";

export const AgentText = memo(function AgentText({ message }: { readonly message: ViewMessage }) {
  const { id, text, reasoning, streaming } = message;
  return (
    <div className="space-y-2" data-message={id}>
      {reasoning !== "" && <Reasoning text={reasoning} active={streaming && text === ""} />}
      {text.trim() !== "" && <Markdown text={text} streaming={streaming} />}
    </div>
  );
});
