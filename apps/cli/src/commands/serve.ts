/** `deerflow serve`: the gateway and the web workspace, until Ctrl-C. */
import { serveHost } from "@deerflow/gateway";
import { DeerflowError, openHost } from "@deerflow/harness";
import { type CommandContext, type GlobalOptions, hostOptions } from "../command-context.js";

export interface ServeOptions {
  readonly port?: string;
  readonly host?: string;
}

const LARGEST_PORT = 65_535;

/** @returns the exit code, once the server is told to stop */
export async function serveCommand(
  context: CommandContext,
  globals: GlobalOptions,
  options: ServeOptions,
): Promise<number> {
  const port = options.port === undefined ? undefined : Number(options.port);
  if (port !== undefined && !(Number.isInteger(port) && port >= 0 && port <= LARGEST_PORT)) {
    throw new DeerflowError("invalid_request", {
      reason: `--port ${options.port} is not a port (0 to 65535)`,
    });
  }
  const host = await openHost({ ...hostOptions(context, globals, true), serving: true });
  try {
    const server = await serveHost(host, {
      ...(port === undefined ? {} : { port }),
      ...(options.host === undefined ? {} : { host: options.host }),
      version: context.version,
    });
    host.databaseSwitch.announce(server.url);
    const model = (await host.models()).models[0];
    context.output.note(`DeerFlow TS is at ${server.url} (Ctrl-C stops it)\n`);
    context.output.note(
      `model ${model?.name}: ${model?.reason}\nshell ${host.sandboxDescription}\ndata ${host.home}\ndatabase ${host.persistence.description}\n`,
    );
    await new Promise<void>((stop) => {
      const release = context.onInterrupt(() => {
        release(); // a second Ctrl-C leaves at once
        stop();
      });
    });
    context.output.note("\nStopping; running tasks are interrupted and kept.\n");
    await server.close();
    return 0;
  } finally {
    await host.close();
  }
}
