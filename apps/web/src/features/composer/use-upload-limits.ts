/** How much the gateway takes; undefined until it has said so. */
import type { UploadLimits } from "@deerflow/protocol";
import { useQuery } from "@tanstack/react-query";
import { useServices } from "../../lib/services.js";

/** @param threadId need not exist yet; the limits are the same for all */
export function useUploadLimits(threadId: string | undefined): UploadLimits | undefined {
  const { client } = useServices();
  const { data } = useQuery({
    queryKey: ["upload-limits"],
    queryFn: () => client.uploadLimits(threadId ?? ""),
    enabled: threadId !== undefined,
    staleTime: 300_000,
  });
  return data;
}
