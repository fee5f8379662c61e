/** A small box of text that opens at a button. */
import { Popover as Primitive } from "radix-ui";
import type { ReactNode } from "react";

interface PopoverProps {
  /** What the box is about, for a screen reader. */
  readonly label: string;
  readonly trigger: ReactNode;
  readonly children: ReactNode;
}

/** `trigger` must be one element that can take a ref. */
export function Popover({ label, trigger, children }: PopoverProps) {
  return (
    <Primitive.Root>
      <Primitive.Trigger asChild>{trigger}</Primitive.Trigger>
      <Primitive.Portal>
        <Primitive.Content
          aria-label={label}
          align="start"
          side="top"
          sideOffset={4}
          collisionPadding={8}
          className="z-50 max-h-80 max-w-80 overflow-y-auto rounded-lg border border-line bg-raised p-3 text-sm shadow-lg"
        >
          {children}
        </Primitive.Content>
      </Primitive.Portal>
    </Primitive.Root>
  );
}
