/** An open database that several may use, and that is closed when none does any more. */
import type { SqlDatabase } from "../../persistence/sql/contract.js";
import type { DatabaseLocation } from "../../persistence/sql/database-location.js";
import { openDatabase } from "../../persistence/sql/open-database.js";
import { type ServeLock, takeServeLock } from "../../persistence/sqlite/serve-lock.js";

export class HeldDatabase {
  readonly database: SqlDatabase;
  readonly #lock: ServeLock | undefined;
  #users = 1;

  private constructor(database: SqlDatabase, lock: ServeLock | undefined) {
    this.database = database;
    this.#lock = lock;
  }

  /**
   * @param serving - keeps other processes from serving the same SQLite file
   * @throws DeerflowError `database_*`; then nothing stays open
   */
  static async open(location: DatabaseLocation, serving: boolean): Promise<HeldDatabase> {
    const database = await openDatabase(location);
    try {
      const isFile = serving && location.backend === "sqlite";
      return new HeldDatabase(database, isFile ? await takeServeLock(location.path) : undefined);
    } catch (error) {
      await database.close();
      throw error;
    }
  }

  /** One more user, who releases it too. */
  share(): this {
    this.#users += 1;
    return this;
  }

  announce(url: string): void {
    this.#lock?.announce(url);
  }

  async release(): Promise<void> {
    this.#users -= 1;
    if (this.#users > 0) return;
    await this.database.close();
    this.#lock?.release();
  }
}
