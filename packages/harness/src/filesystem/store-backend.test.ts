import { InMemoryStore } from "@langchain/langgraph";
import { fileBackendSuite } from "../testing/file-backend-suite.js";
import { StoreBackend } from "./store-backend.js";

fileBackendSuite("StoreBackend", async () => ({
  files: new StoreBackend({ namespace: ["user@example.com", "files"], store: new InMemoryStore() }),
  root: "/",
}));
