/** A button with words on it. */
import type { ComponentProps } from "react";
import { classes } from "../lib/classes.js";

const LOOKS = {
  primary: "bg-accent text-accent-ink hover:opacity-90 disabled:opacity-45",
  plain: "border border-line bg-raised hover:bg-hover disabled:opacity-45",
  danger: "bg-bad text-ground hover:opacity-90 disabled:opacity-45",
} as const;

interface ButtonProps extends ComponentProps<"button"> {
  readonly look?: keyof typeof LOOKS;
}

export function Button({ look = "plain", className, ...props }: ButtonProps) {
  return (
    <button
      type="button"
      className={classes(
        "inline-flex h-8 items-center justify-center gap-1.5 rounded-md px-3 text-sm font-medium transition-colors",
        LOOKS[look],
        className,
      )}
      {...props}
    />
  );
}
