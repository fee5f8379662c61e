/** Public names of this room; nothing is defined here. */
export * from "./contract.js";
