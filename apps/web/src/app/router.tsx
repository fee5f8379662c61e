/**
 * The addresses of the workspace. One screen serves all of them, so that the message field and the observer
 * live on when a new conversation gets its address.
 */
import { createRootRoute, createRoute, createRouter } from "@tanstack/react-router";
import { Workspace } from "./workspace.js";

interface Search {
  /** The file that is open beside the conversation: a virtual path. */
  readonly file?: string;
}

const rootRoute = createRootRoute({
  component: Workspace,
  validateSearch: (search: Record<string, unknown>): Search =>
    typeof search["file"] === "string" ? { file: search["file"] } : {},
});
const newChatRoute = createRoute({ getParentRoute: () => rootRoute, path: "/" });
const chatRoute = createRoute({ getParentRoute: () => rootRoute, path: "/chats/$threadId" });

export const router = createRouter({ routeTree: rootRoute.addChildren([newChatRoute, chatRoute]) });

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
