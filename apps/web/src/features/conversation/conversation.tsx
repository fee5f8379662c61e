/** The messages of a thread, in a column that follows what is new. */
import { ArrowDown } from "lucide-react";
import { useMemo } from "react";
import { useText } from "../../i18n/language-context.js";
import { useServices } from "../../lib/services.js";
import { IconButton } from "../../ui/icon-button.js";
import { AgentTurn } from "./agent-turn.js";
import { ConversationSkeleton } from "./conversation-skeleton.js";
import { HumanTurn } from "./human-turn.js";
import { RunLine } from "./run-line.js";
import { RunSpeaker } from "./run-speaker.js";
import type { TurnActions } from "./turn-actions.js";
import { turnsOf } from "./turns.js";
import { useStickToBottom } from "./use-stick-to-bottom.js";
import { useThreadView } from "./use-thread-view.js";

export function Conversation({ actions }: { readonly actions: TurnActions }) {
  const t = useText();
  const { observer } = useServices();
  const view = useThreadView();
  const turns = useMemo(() => turnsOf(view.messages), [view.messages]);
  const lastHuman = turns.findLast(({ kind }) => kind === "human")?.id;
  const { scroller, content, atBottom, toBottom } = useStickToBottom(`${view.threadId} ${lastHuman}`);
  return (
    <div className="relative min-h-0 flex-1">
      <section
        ref={scroller}
        aria-label={t("conversation")}
        aria-busy={view.phase === "loading"}
        // A keyboard must be able to scroll it.
        // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex
        tabIndex={0}
        className="h-full overflow-y-auto outline-offset-[-2px]"
      >
        <div ref={content} className="mx-auto max-w-3xl space-y-6 px-4 pt-6 pb-8 sm:px-6">
          {view.phase === "loading" && <ConversationSkeleton />}
          {turns.map((turn, index) =>
            turn.kind === "human" ? (
              <HumanTurn key={turn.id} message={turn.message} />
            ) : (
              <AgentTurn
                key={turn.id}
                steps={turn.steps}
                newest={index === turns.length - 1}
                actions={actions}
              />
            ),
          )}
          <RunLine view={view} onRetry={() => void observer.refresh()} />
        </div>
      </section>
      <RunSpeaker phase={view.phase} />
      {!atBottom && (
        <IconButton
          label={t("jumpToLatest")}
          onClick={toBottom}
          look="floating"
          className="absolute bottom-3 left-1/2 -translate-x-1/2"
        >
          <ArrowDown className="size-4" aria-hidden />
        </IconButton>
      )}
    </div>
  );
}
