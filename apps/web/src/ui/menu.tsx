/** A menu that opens at a button. */
import { DropdownMenu } from "radix-ui";
import type { ReactNode } from "react";

interface MenuProps {
  readonly trigger: ReactNode;
  readonly align?: "start" | "end";
  readonly side?: "top" | "bottom";
  readonly children: ReactNode;
}

/** `trigger` must be one element that can take a ref. Not modal: locking the page would need an inline style sheet. */
export function Menu({ trigger, align = "start", side = "bottom", children }: MenuProps) {
  return (
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger asChild>{trigger}</DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content
          align={align}
          side={side}
          sideOffset={4}
          collisionPadding={8}
          className="z-50 max-h-80 min-w-44 max-w-80 overflow-y-auto rounded-lg border border-line bg-raised p-1 text-sm shadow-lg"
        >
          {children}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}
