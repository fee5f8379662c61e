/** What no sandbox runs, because it could not be handed over as it stands. */
import { DeerflowError } from "../base/errors.js";
import type { CommandRequest } from "./contract.js";

/** The kernel takes no single argument over 131,072 bytes. */
const COMMAND_BYTES = 100_000;
const VARIABLE_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

const refuse = (reason: string): never => {
  throw new DeerflowError("command_invalid", { reason });
};

/** @throws DeerflowError `command_invalid` */
export function checkCommand({ command, cwd, env, secrets, timeoutSeconds = 1 }: CommandRequest): void {
  const variables = { ...env, ...secrets };
  if (command.trim() === "") refuse("it is empty");
  if (Buffer.byteLength(command) > COMMAND_BYTES) refuse(`it is longer than ${COMMAND_BYTES} bytes`);
  if (cwd !== undefined && !cwd.startsWith("/")) refuse("its working directory is not an absolute path");
  if (!(timeoutSeconds > 0)) refuse(`its time limit of ${timeoutSeconds} seconds is not above zero`);
  for (const [name, value] of Object.entries(variables)) {
    if (!VARIABLE_NAME.test(name)) refuse("an environment variable has no valid name");
    if (Buffer.byteLength(value) > COMMAND_BYTES)
      refuse(`the variable ${name} is longer than ${COMMAND_BYTES} bytes`);
  }
  const texts = [command, cwd ?? "", ...Object.values(variables)];
  if (texts.some((text) => text.includes("\0"))) refuse("it holds a NUL character");
}
