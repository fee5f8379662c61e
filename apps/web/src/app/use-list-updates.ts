/** Has the list of conversations read again when the one on the screen starts, ends or gets its title. */
import { useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { THREADS_KEY } from "../features/threads/use-threads.js";
import { useServices } from "../lib/services.js";

export function useListUpdates(): void {
  const queries = useQueryClient();
  const { observer } = useServices();
  useEffect(() => {
    const news = () => {
      const { threadId, phase, title } = observer.getSnapshot();
      return phase === "running" || phase === "idle" ? `${threadId} ${phase} ${title}` : undefined;
    };
    let told = news();
    return observer.subscribe(() => {
      const now = news();
      if (now === undefined || now === told) return;
      told = now;
      void queries.invalidateQueries({ queryKey: THREADS_KEY });
    });
  }, [queries, observer]);
}
