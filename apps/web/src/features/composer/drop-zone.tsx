/** Takes files that are dropped anywhere on the conversation. */
import { Upload } from "lucide-react";
import { useState, type DragEvent, type ReactNode } from "react";
import { useText } from "../../i18n/language-context.js";

interface DropZoneProps {
  readonly children: ReactNode;
  onFiles(files: readonly File[]): void;
}

const holdsFiles = (event: DragEvent): boolean => event.dataTransfer.types.includes("Files");

export function DropZone({ children, onFiles }: DropZoneProps) {
  const t = useText();
  const [over, setOver] = useState(false);
  return (
    <div
      className="relative flex min-h-0 min-w-0 flex-1 flex-col"
      onDragOver={(event) => {
        if (!holdsFiles(event)) return;
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={(event) => {
        if (event.target instanceof Node && event.currentTarget.contains(event.relatedTarget as Node | null))
          return; // React types relatedTarget as EventTarget
        setOver(false);
      }}
      onDrop={(event) => {
        if (!holdsFiles(event)) return;
        event.preventDefault();
        setOver(false);
        onFiles([...event.dataTransfer.files]);
      }}
    >
      {children}
      {over && (
        <div className="pointer-events-none absolute inset-2 z-20 flex items-center justify-center gap-2 rounded-xl border-2 border-dashed border-accent bg-ground/85 text-base font-medium text-accent">
          <Upload aria-hidden className="size-5" />
          {t("dropHere")}
        </div>
      )}
    </div>
  );
}
