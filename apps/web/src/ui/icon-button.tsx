/** A square button with a picture; its label is read aloud and shown on hover. */
import type { ComponentProps } from "react";
import { classes } from "../lib/classes.js";

interface IconButtonProps extends Omit<ComponentProps<"button">, "aria-label" | "title"> {
  readonly label: string;
}

export function IconButton({ label, className, ...props }: IconButtonProps) {
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      className={classes(
        "inline-flex size-8 shrink-0 items-center justify-center rounded-md text-ink-soft transition-colors",
        "hover:bg-hover hover:text-ink disabled:opacity-40 data-[state=open]:bg-hover",
        className,
      )}
      {...props}
    />
  );
}
