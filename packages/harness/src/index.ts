/** Public names of this room; nothing is defined here. */
export { DeerflowError, type ErrorCode } from "./base/errors.js";
export { LOCAL_PRINCIPAL, type Principal } from "./context/principal.js";
