/** An installation with its real agent, tools and sandbox behind a real socket, in this process. */
import { Client } from "@langchain/langgraph-sdk";
import { serveHost } from "@deerflow/gateway";
import { type Host, openHost, silentLogger } from "@deerflow/harness";
import type { Installation } from "./deerflow-command.js";

export interface ServedHost {
  readonly host: Host;
  /** `http://127.0.0.1:<port>`. */
  readonly url: string;
  readonly client: Client;
  /** Stops the server first and then the runs, as the command does. */
  close(): Promise<void>;
}

/** Only the demo model is there: no key is in the environment. */
export async function serveInstallation(installation: Installation): Promise<ServedHost> {
  const host = await openHost({
    env: { PATH: process.env["PATH"], DEER_FLOW_HOME: installation.home },
    cwd: installation.folder,
    logger: silentLogger,
  });
  const gateway = await serveHost(host, { port: 0, version: "0.0.0-test" });
  return {
    host,
    url: gateway.url,
    client: sdkClient(gateway.url),
    close: async () => {
      await gateway.close();
      await host.close();
    },
  };
}

export const sdkClient = (url: string): Client =>
  new Client({ apiUrl: `${url}/api/langgraph`, apiKey: null });
