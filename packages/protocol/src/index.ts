/** Public names of this package; nothing is defined here. */
export * from "./databases.js";
export * from "./errors.js";
export * from "./files.js";
export * from "./json.js";
export * from "./messages.js";
export * from "./models.js";
export * from "./runs.js";
export * from "./stream.js";
export * from "./threads.js";
