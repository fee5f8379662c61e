/** Tells those who hear the page when a run begins and ends, without reading every word of it. */
import type { RunPhase } from "@deerflow/client";
import { useEffect, useRef, useState } from "react";
import { useText } from "../../i18n/language-context.js";

export function RunSpeaker({ phase }: { readonly phase: RunPhase }) {
  const t = useText();
  const before = useRef(phase);
  const [words, setWords] = useState("");
  useEffect(() => {
    if (phase === "running" && before.current !== "running") setWords(t("working"));
    if (phase === "idle" && before.current === "running") setWords(t("finished"));
    if (phase === "idle" && before.current === "stopping") setWords(t("ended_interrupted"));
    before.current = phase;
  }, [phase, t]);
  return (
    <p role="status" className="sr-only">
      {words}
    </p>
  );
}
