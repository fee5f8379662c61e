/** The agent asks something; the offered answers are buttons. */
import type { ToolCallView } from "@deerflow/client";
import { MessageCircleQuestion } from "lucide-react";
import { Button } from "../../ui/button.js";
import { questionOf } from "./tool-call-text.js";

interface QuestionCardProps {
  readonly call: ToolCallView;
  /** False once it was answered, or while the agent is at work. */
  readonly open: boolean;
  onAnswer(text: string): void;
}

export function QuestionCard({ call, open, onAnswer }: QuestionCardProps) {
  const { question, options } = questionOf(call);
  return (
    <section className="rounded-lg border border-line bg-sunken p-3.5" aria-label={question}>
      <div className="flex gap-2.5">
        <MessageCircleQuestion aria-hidden className="mt-0.5 size-4 shrink-0 text-accent" />
        <p className="min-w-0 whitespace-pre-wrap wrap-anywhere">
          {question === "" ? call.result : question}
        </p>
      </div>
      {options.length > 0 && (
        <div className="mt-3 flex flex-wrap gap-2 pl-6.5">
          {options.map((option) => (
            <Button key={option} disabled={!open} onClick={() => onAnswer(option)}>
              {option}
            </Button>
          ))}
        </div>
      )}
    </section>
  );
}
