/** Names for what this process leaves on the machine while it lives, so that a later one can tell what nobody owns. */
import { hostname } from "node:os";
import { isProcessAlive, processIdentity } from "../base/process-identity.js";

const PREFIX = "deerflow";
const OWNED = /^deerflow\.(\d+)\.(\d*)\./;

/** `deerflow.<process number>.<start>.`, to be continued by whatever makes it unique. */
export function ownedPrefix(): string {
  const [, pid, start] = processIdentity().split("/");
  return `${PREFIX}.${pid}.${start}.`;
}

/** Whether a name was made by a process of this machine that has ended. */
export function isAbandoned(name: string): boolean {
  const [, pid, start] = OWNED.exec(name) ?? [];
  return pid !== undefined && !isProcessAlive(`${hostname()}/${pid}/${start}`);
}
