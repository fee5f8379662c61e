/** How one database takes the place of another while the process goes on. */
import type { BaseStore } from "@langchain/langgraph-checkpoint";
import type { Principal } from "../../context/principal.js";
import type { Persistence } from "../../persistence/contract.js";
import type { DatabaseLocation } from "../../persistence/sql/database-location.js";
import type { SqlDatabase } from "../../persistence/sql/contract.js";
import type { DatabaseLocations } from "../database-location.js";

/** A thread of whatever tenant: ids are taken once per tenant. */
export interface ThreadKey {
  readonly principal: Principal;
  readonly threadId: string;
}

/** The databases of an installation, open. Where a part has no place of its own, it is the same one. */
export interface SideDatabases {
  /** Threads, runs and events. */
  readonly app: SqlDatabase;
  readonly checkpoints: SqlDatabase;
  /** The items of the key-value store. */
  readonly items: SqlDatabase;
}

/** Everything durable in one place. */
export interface DatabaseSide {
  readonly locations: DatabaseLocations;
  readonly databases: SideDatabases;
  readonly persistence: Persistence;
  /** The key-value store of one tenant. */
  store(principal: Principal): BaseStore;
  /** How messages call it: a path, or a URL without its password. */
  readonly name: string;
  /** Tells other processes where the one that serves it is reached. */
  announce(url: string): void;
  /** What it shares with another side stays open. */
  close(): Promise<void>;
}

/** Carries what lies in one place to another. Each may be done again; what is there already is left alone. */
export interface ThreadCarrier {
  /**
   * Threads with their runs, events and checkpoints, and the items of the store. What is changed meanwhile may be missed.
   *
   * @throws DeerflowError `database_switch_invalid` when the target holds another thread of the same name
   */
  copyAll(from: DatabaseSide, to: DatabaseSide, signal: AbortSignal): Promise<void>;
  /**
   * Gives the target the thread as the source has it now, durably and all of it or nothing.
   *
   * @param exact - also when the target has more of it, or the source nothing; else only an older state is replaced
   * @throws DeerflowError `database_switch_invalid`
   */
  copyThread(from: DatabaseSide, to: DatabaseSide, thread: ThreadKey, exact: boolean): Promise<void>;
  /** Gives the target the items of the store as the source has them now. */
  copyItems(from: DatabaseSide, to: DatabaseSide): Promise<void>;
}

/**
 * `copying`: everything is on the old one. `draining`: new runs are on the new one, and what the old one still
 * holds moves as it becomes free. `done`, `failed`: one database again; which one, `current` says.
 */
export type SwitchPhase = "copying" | "draining" | "done" | "failed";

export interface SwitchStatus {
  readonly phase: SwitchPhase;
  /** Where new runs go now. */
  readonly current: string;
  readonly from: string;
  readonly to: string;
  /** Whether all threads go along, or only those that runs are working on. */
  readonly copy: boolean;
  /** Runs that are not over and that the old database still holds. */
  readonly runsOnOld: number;
  /** Threads that have still to move, those runs' among them. */
  readonly threadsOnOld: number;
  /** Threads that only the old database has, where they were not to be copied. */
  readonly threadsLeft: number;
  readonly startedAt: number;
  /** Why it failed, or why threads cannot move yet. */
  readonly problem?: string;
}

/** Where one part of the data lies now. */
export interface DatabasePlace {
  readonly part: keyof DatabaseLocations;
  readonly backend: DatabaseLocation["backend"];
  /** For a person: a file, or the address of a server without its password. */
  readonly place: string;
  /** Equal for two installations exactly when they use the same database. Holds no password. */
  readonly id: string;
}

/** What is told of the databases of a running installation. */
export interface InstalledDatabases {
  readonly places: readonly DatabasePlace[];
  /** The switch under way, or the last one since the start. */
  readonly lastSwitch: SwitchStatus | undefined;
}

export interface SwitchRequest {
  readonly to: DatabaseLocation;
  readonly copy: boolean;
}
