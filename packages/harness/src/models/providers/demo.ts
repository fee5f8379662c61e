/** The scripted model that needs no key. */
import { DemoChatModel } from "../demo/demo-chat-model.js";
import type { ModelProvider } from "./contract.js";

export const demo: ModelProvider = {
  name: "demo",
  build: ({ paceMilliseconds }) => new DemoChatModel({ paceMilliseconds }),
};
