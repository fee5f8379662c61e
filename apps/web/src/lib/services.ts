/** What components take from outside: the gateway, and the observer of the thread on the screen. */
import { GatewayClient, ThreadObserver } from "@deerflow/client";
import { createContext, use } from "react";

export interface Services {
  readonly client: GatewayClient;
  readonly observer: ThreadObserver;
}

export function createServices(): Services {
  const client = new GatewayClient();
  return { client, observer: new ThreadObserver({ client }) };
}

export const ServicesContext = createContext<Services | undefined>(undefined);

/** @throws Error outside of the provider */
export function useServices(): Services {
  const services = use(ServicesContext);
  if (services === undefined) throw new Error("Services are missing above this component.");
  return services;
}
