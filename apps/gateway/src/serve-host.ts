/** Puts an opened installation on a socket: the gateway's dependencies, taken from a host. No logic. */
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { addedMounts, type Host, LOCAL_PRINCIPAL, threadDirectories, threadFiles } from "@deerflow/harness";
import type { GatewayDeps } from "./deps.js";
import { type RunningGateway, startGateway } from "./serve.js";
import { databaseStatus } from "./wire/database-status.js";
import { sandboxHealth } from "./wire/sandbox-health.js";

export interface ServeHostOptions {
  /** Instead of the configured one. */
  readonly host?: string;
  /** Instead of the configured one; 0 takes any free port. */
  readonly port?: number;
  readonly version: string;
}

/** The built web workspace, where this package has it inside. */
const WEB_ROOT = fileURLToPath(new URL("./web", import.meta.url));

/** @throws DeerflowError `port_taken`, `address_unusable` */
export function serveHost(host: Host, options: ServeHostOptions): Promise<RunningGateway> {
  const { gateway } = host.config();
  return startGateway(gatewayDeps(host, options), {
    host: options.host ?? gateway.host,
    port: options.port ?? gateway.port,
  });
}

export function gatewayDeps(host: Host, { version, host: bound }: ServeHostOptions): GatewayDeps {
  const { gateway, uploads } = host.config();
  return {
    runs: host.runs,
    threads: host.threads,
    events: host.persistence.events,
    models: () => host.models(),
    files: async (principal, threadId) =>
      threadFiles(threadDirectories(host.home, principal, threadId), addedMounts(host.config(), host.home)),
    health: () => healthOf(host),
    databases: {
      status: () => databaseStatus(host.databases()),
      switchTo: async ({ to, schema, copy = false }) => {
        await host.databaseSwitch.start({ to: host.readDatabase(to, schema), copy });
      },
    },
    principal: async () => LOCAL_PRINCIPAL,
    version,
    uploadLimits: {
      maxFiles: uploads.max_files,
      maxFileSize: uploads.max_file_size,
      maxTotalSize: uploads.max_total_size,
    },
    quota: host.quota,
    access: { hosts: [gateway.host, ...(bound === undefined ? [] : [bound])], origins: gateway.cors_origins },
    ...(existsSync(WEB_ROOT) ? { webRoot: WEB_ROOT } : {}),
    logger: host.logger,
  };
}

async function healthOf(host: Host): ReturnType<GatewayDeps["health"]> {
  const model = (await host.models()).models[0];
  const { databases, switch: databaseSwitch } = databaseStatus(host.databases());
  return {
    sandbox: sandboxHealth(host.sandbox),
    model: {
      name: model?.name ?? "none",
      source: model?.source ?? "none",
      reason: model?.reason ?? "No model was found.",
    },
    database: host.persistence.description,
    databases,
    ...(databaseSwitch && { database_switch: databaseSwitch }),
  };
}
