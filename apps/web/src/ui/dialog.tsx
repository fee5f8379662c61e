/** A question over the page. The browser's own dialog keeps the focus inside and closes on Escape. */
import { useEffect, useId, useRef, type ReactNode } from "react";

interface DialogProps {
  readonly title: string;
  readonly children: ReactNode;
  onClose(): void;
}

/** Open as long as it is rendered. */
export function Dialog({ title, children, onClose }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  useEffect(() => {
    const element = dialog.current;
    element?.showModal();
    return () => element?.close();
  }, []);
  return (
    <dialog
      ref={dialog}
      aria-labelledby={titleId}
      onCancel={onClose}
      onClick={(event) => event.target === dialog.current && onClose()}
      className="m-auto w-[min(26rem,calc(100vw-2rem))] rounded-xl border border-line bg-raised p-0 text-ink shadow-xl"
    >
      <div className="p-5">
        <h2 id={titleId} className="text-base font-semibold">
          {title}
        </h2>
        {children}
      </div>
    </dialog>
  );
}
