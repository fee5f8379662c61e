/** Public names of this room; nothing is defined here. */
export type * from "./contract.js";
