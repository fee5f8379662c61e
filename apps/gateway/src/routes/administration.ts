/** What concerns the server itself and not one thread. */
import { databaseSwitchRequest } from "@deerflow/protocol";
import { DeerflowError } from "@deerflow/harness";
import { Hono } from "hono";
import type { DatabaseAdministration, GatewayDeps, GatewayVariables } from "../deps.js";
import { readBody } from "../http/body.js";

type AdministrationDeps = Pick<GatewayDeps, "databases" | "requireAdministrator">;

export const administrationRoutes = (deps: AdministrationDeps) =>
  new Hono<GatewayVariables>()
    .use(async (context, next) => {
      await deps.requireAdministrator?.(context.var.principal);
      await next();
    })
    .get("/database", (context) => context.json(databasesOf(deps).status()))
    .post("/database/switch", async (context) => {
      const databases = databasesOf(deps);
      await databases.switchTo(await readBody(context, databaseSwitchRequest));
      return context.json(databases.status(), 202);
    });

function databasesOf({ databases }: AdministrationDeps): DatabaseAdministration {
  if (databases !== undefined) return databases;
  throw new DeerflowError("database_switch_invalid", { reason: "this server was not given its databases" });
}
