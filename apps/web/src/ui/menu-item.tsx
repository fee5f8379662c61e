/** One action of a menu. */
import { DropdownMenu } from "radix-ui";
import type { ReactNode } from "react";
import { classes } from "../lib/classes.js";

interface MenuItemProps {
  readonly icon?: ReactNode;
  readonly dangerous?: boolean;
  readonly children: ReactNode;
  onSelect(): void;
}

export function MenuItem({ icon, dangerous = false, children, onSelect }: MenuItemProps) {
  return (
    <DropdownMenu.Item
      onSelect={onSelect}
      className={classes(
        "flex cursor-pointer items-center gap-2 rounded-md px-2 py-1.5 outline-none data-highlighted:bg-hover",
        dangerous && "text-bad",
      )}
    >
      {icon}
      {children}
    </DropdownMenu.Item>
  );
}
