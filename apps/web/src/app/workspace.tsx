/** The one screen: conversations at the left, the chosen one in the middle, its plan and files at the right. */
import { useLocation, useMatches, useParams } from "@tanstack/react-router";
import { useState } from "react";
import { OfflineBanner } from "../features/health/offline-banner.js";
import { useThreadValue } from "../lib/use-thread-value.js";
import { ErrorBoundary } from "../ui/error-boundary.js";
import { ChatScreen } from "./chat-screen.js";
import { NotFoundPage } from "./not-found-page.js";
import { PartFailed } from "./part-failed.js";
import { Sidebar } from "./sidebar.js";
import { useListUpdates } from "./use-list-updates.js";
import { useOpenedThread } from "./use-opened-thread.js";

export function Workspace() {
  const { threadId } = useParams({ strict: false });
  const { pathname } = useLocation();
  const known = useMatches({ select: (matches) => matches.some(({ routeId }) => routeId !== "__root__") });
  // Only where it was opened: going to another conversation closes it.
  const [sidebarAt, setSidebarAt] = useState<string>();
  useOpenedThread(threadId);
  useListUpdates();
  const missing = useThreadValue((view) => view.missing && view.threadId === threadId);
  const openSidebar = () => setSidebarAt(pathname);
  return (
    <div className="flex h-dvh flex-col">
      <OfflineBanner />
      <div className="flex min-h-0 flex-1">
        <Sidebar open={sidebarAt === pathname} onClose={() => setSidebarAt(undefined)} />
        <ErrorBoundary resetKey={pathname} Fallback={PartFailed}>
          {known && !missing ? (
            <ChatScreen threadId={threadId} onOpenSidebar={openSidebar} />
          ) : (
            <NotFoundPage
              title={known ? "threadMissingTitle" : "notFoundTitle"}
              onOpenSidebar={openSidebar}
            />
          )}
        </ErrorBoundary>
      </div>
    </div>
  );
}
