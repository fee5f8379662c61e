/** The configuration of a running process: follows edits of the file, survives broken ones. */
import { DeerflowError } from "../base/errors.js";
import { type Logger, silentLogger } from "../base/logger.js";
import { scopedConfig } from "./config-scope.js";
import { type ConfigFile, type ConfigPlace, parseConfigFile, readConfigFile } from "./load-config.js";
import { parseConfig } from "./parse-config.js";
import { restartNeeded, withoutRestart } from "./restart-required.js";
import type { DeerflowConfig } from "./schema.js";

interface Accepted {
  readonly config: DeerflowConfig;
  readonly path: string | undefined;
}

/**
 * Reads the file again at every {@link current}, parses it only when its content changed, and keeps the last
 * good configuration while an edit is broken. Settings that need a restart stay as they were at the start.
 *
 * @example const source = new ConfigSource({ env: process.env, cwd: process.cwd() }, logger);
 */
export class ConfigSource {
  readonly #place: ConfigPlace;
  readonly #logger: Logger;
  readonly #said = new Set<string>();
  #first: DeerflowConfig | undefined;
  #accepted: Accepted | undefined;
  #signature: string | undefined;
  #problem: DeerflowError | undefined;

  constructor(place: ConfigPlace, logger: Logger = silentLogger) {
    this.#place = Object.freeze({ ...place });
    this.#logger = logger;
  }

  /**
   * The configuration that holds now; inside {@link withConfig} the one given there.
   * @throws DeerflowError what `loadConfig` throws, while no good configuration was ever read
   */
  current(): DeerflowConfig {
    return scopedConfig() ?? this.#follow().config;
  }

  /** The file in use; `undefined` when the defaults hold. */
  get path(): string | undefined {
    return this.#follow().path;
  }

  /** Why the file as it is now is not in use; `undefined` when it is. */
  get problem(): DeerflowError | undefined {
    this.#follow();
    return this.#problem;
  }

  #follow(): Accepted {
    try {
      const file = readConfigFile(this.#place);
      const accepted =
        this.#accepted !== undefined && file?.signature === this.#signature
          ? this.#accepted
          : this.#accept(file);
      this.#problem = undefined;
      return accepted;
    } catch (error) {
      if (!DeerflowError.is(error) || this.#accepted === undefined) throw error;
      this.#refuse(error);
      return this.#accepted;
    }
  }

  #accept(file: ConfigFile | undefined): Accepted {
    if (file === undefined && this.#accepted?.path !== undefined) {
      throw new DeerflowError("config_file_missing", { file: this.#accepted.path, origin: "it was in use" });
    }
    const loaded =
      file === undefined ? { ...parseConfig({}), path: undefined } : parseConfigFile(file, this.#place.env);
    this.#first ??= loaded.config;
    for (const { setting, because, or } of restartNeeded(this.#first, loaded.config)) {
      const when = or === undefined ? "a restart" : `a restart or ${or}`;
      this.#sayOnce(`${setting} was changed and takes effect after ${when}: ${because}.`);
    }
    for (const warning of loaded.warnings) this.#sayOnce(warning);
    this.#accepted = { config: withoutRestart(this.#first, loaded.config), path: loaded.path };
    this.#signature = file?.signature;
    return this.#accepted;
  }

  #refuse(error: DeerflowError): void {
    if (this.#problem?.sentence !== error.sentence) {
      this.#logger.error(`The last good configuration stays in use. ${error.sentence}`);
    }
    this.#problem = error;
  }

  #sayOnce(warning: string): void {
    if (this.#said.has(warning)) return;
    this.#said.add(warning);
    this.#logger.warn(warning);
  }
}
