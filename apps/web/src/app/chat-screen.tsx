/** A conversation, new or old, with its message field and what belongs to it. */
import { useEffect } from "react";
import { Composer } from "../features/composer/composer.js";
import { DropZone } from "../features/composer/drop-zone.js";
import { useAttachments } from "../features/composer/use-attachments.js";
import { Conversation } from "../features/conversation/conversation.js";
import { useThreadView } from "../features/conversation/use-thread-view.js";
import { useModels } from "../features/models/use-models.js";
import { Welcome } from "../features/welcome/welcome.js";
import { sampleFile } from "../demo/sample-file.js";
import { useText } from "../i18n/language-context.js";
import { useServices } from "../lib/services.js";
import { Notice } from "../ui/notice.js";
import { ChatHeader } from "./chat-header.js";
import { SidePanel } from "./side-panel.js";
import { usePanel } from "./use-panel.js";
import { useSending } from "./use-sending.js";

interface ChatScreenProps {
  readonly threadId: string | undefined;
  onOpenSidebar(): void;
}

export function ChatScreen({ threadId, onOpenSidebar }: ChatScreenProps) {
  const t = useText();
  const { observer } = useServices();
  const view = useThreadView();
  const models = useModels();
  const attachments = useAttachments(view.threadId);
  const sending = useSending(threadId, attachments, models.chosen?.name);
  const panel = usePanel(view);
  const isNew = threadId === undefined && view.messages.length === 0;
  const title = isNew ? t("newChat") : view.title;
  useEffect(() => {
    document.title = title === "" ? t("appName") : `${title} · ${t("appName")}`;
  }, [title, t]);
  const startExample = (text: string) => {
    sending.write(text);
    document.querySelector<HTMLElement>("#composer")?.focus();
  };
  return (
    <>
      <main className="flex min-w-0 flex-1 flex-col" inert={panel.covers}>
        <ChatHeader
          title={title}
          panelOpen={panel.available ? panel.open : undefined}
          onOpenSidebar={onOpenSidebar}
          onTogglePanel={panel.toggle}
        />
        <DropZone onFiles={attachments.add}>
          {isNew ? (
            <div className="flex min-h-0 flex-1 flex-col overflow-y-auto">
              <div className="flex-1" />
              <Welcome
                starting={sending.startingDemo}
                onExample={startExample}
                onDemo={() => void sending.runDemo(t("demoTask"), sampleFile())}
              />
              <div className="flex-1" />
            </div>
          ) : (
            <Conversation actions={{ answer: (text) => void sending.answer(text), openFile: panel.show }} />
          )}
          {isNew && (view.error ?? sending.problem) !== undefined && (
            <div className="mx-auto w-full max-w-3xl px-3 pb-2 sm:px-6">
              <Notice tone="bad">{view.error ?? sending.problem}</Notice>
            </div>
          )}
          <Composer
            text={sending.text}
            attachments={attachments}
            models={models}
            onText={sending.write}
            onSend={() => void sending.send()}
            onStop={() => void observer.stop()}
          />
        </DropZone>
      </main>
      {panel.open && <SidePanel view={view} file={panel.file} onOpen={panel.show} onClose={panel.toggle} />}
    </>
  );
}
