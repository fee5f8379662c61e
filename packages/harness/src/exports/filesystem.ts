/** Public names of `@deerflow/harness/filesystem`: the file tools on their own, for any LangChain agent. */
export * from "../filesystem/index.js";
