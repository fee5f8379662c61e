/** Gives the model a list of steps that the user watches (LangChain's own middleware with our texts). */
import { type AgentMiddleware, todoListMiddleware } from "langchain";
import { readProse } from "../base/prose.js";

const SYSTEM_PROMPT = readProse(new URL("./todo-list.md", import.meta.url));
const TOOL_DESCRIPTION = readProse(new URL("./write-todos.md", import.meta.url));

export const todoList = (): AgentMiddleware =>
  // The cast is sound: the library's own types differ only under exactOptionalPropertyTypes.
  todoListMiddleware({
    systemPrompt: SYSTEM_PROMPT,
    toolDescription: TOOL_DESCRIPTION,
  }) as unknown as AgentMiddleware;
