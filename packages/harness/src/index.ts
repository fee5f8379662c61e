/** Public names of this room; nothing is defined here. */
export { DeerflowError, type ErrorCode } from "./base/errors.js";
export { LOCAL_PRINCIPAL, type Principal } from "./context/principal.js";
export { ConfigSource } from "./config/config-source.js";
export { withConfig } from "./config/config-scope.js";
export { exampleConfig } from "./config/example-config.js";
export { loadConfig, type ConfigPlace, type LoadedConfig } from "./config/load-config.js";
export { parseConfig, type ParsedConfig } from "./config/parse-config.js";
export { redactConfig } from "./config/redact-config.js";
export { RESTART_REQUIRED, restartNeeded } from "./config/restart-required.js";
export { type DeerflowConfig } from "./config/schema.js";
