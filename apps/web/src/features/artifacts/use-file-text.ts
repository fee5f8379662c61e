/** The text of a file of the thread. */
import { useQuery } from "@tanstack/react-query";
import { useServices } from "../../lib/services.js";

/** More is not shown in a preview, in characters. */
const MOST_TEXT = 400_000;

export interface FileText {
  readonly text: string;
  readonly cut: boolean;
}

/** @param version another value means that the file may have changed */
export function useFileText(threadId: string, path: string, version: string) {
  const { client } = useServices();
  return useQuery({
    queryKey: ["file", threadId, path, version],
    queryFn: async ({ signal }): Promise<FileText> => {
      const text = await (await client.artifact(threadId, path, signal)).text();
      return { text: text.slice(0, MOST_TEXT), cut: text.length > MOST_TEXT };
    },
    retry: false,
  });
}
