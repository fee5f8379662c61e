/** A configuration that holds for one call tree only: for tests and for programs that embed the harness. */
import { AsyncLocalStorage } from "node:async_hooks";
import type { DeerflowConfig } from "./schema.js";

const scope = new AsyncLocalStorage<DeerflowConfig>();

/**
 * Runs `work`, and everything that it awaits, with `config` in place of what a {@link ConfigSource} would read.
 * @example await withConfig(parseConfig({ title: { enabled: false } }).config, () => runTask())
 */
export const withConfig = <T>(config: DeerflowConfig, work: () => T): T => scope.run(config, work);

/** The override that holds here; `undefined` outside of {@link withConfig}. */
export const scopedConfig = (): DeerflowConfig | undefined => scope.getStore();
