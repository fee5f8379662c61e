/** LangGraph checkpoints in a MySQL or MariaDB database. */
import { DatabaseCheckpointSaver } from "../checkpoint/database-checkpoint-saver.js";
import type { CheckpointSaverOptions } from "../checkpoint/interning-checkpoint-saver.js";
import { parseMysqlAddress } from "./mysql-address.js";
import { openMysql } from "./open-mysql.js";

/**
 * A saver for any LangGraph.js graph. MariaDB 10.11 tested, MySQL 8 by its documented syntax.
 *
 * @example
 * const checkpointer = MySqlCheckpointSaver.fromConnString("mysql://me:secret@127.0.0.1:3306/deerflow");
 * const graph = builder.compile({ checkpointer });
 */
export class MySqlCheckpointSaver extends DatabaseCheckpointSaver {
  /**
   * A saver with a database of its own, opened at first use, and made where the user may. The path of the URL names it.
   *
   * @throws DeerflowError `database_address_invalid`; from the first use: see `openMysql`
   */
  static fromConnString(url: string, options: Partial<CheckpointSaverOptions> = {}): MySqlCheckpointSaver {
    const { name } = parseMysqlAddress(url);
    return new MySqlCheckpointSaver(
      { name, open: () => openMysql({ backend: "mysql", url }) },
      { scope: "local", ...options },
    );
  }
}
