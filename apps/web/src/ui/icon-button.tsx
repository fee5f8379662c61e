/** A button with a picture; its label is read aloud and shown on hover. */
import type { ComponentProps } from "react";
import { classes } from "../lib/classes.js";

const LOOKS = {
  quiet: "rounded-md text-ink-soft hover:bg-hover hover:text-ink data-[state=open]:bg-hover",
  accent: "rounded-full bg-accent text-accent-ink hover:opacity-90",
  floating: "rounded-full border border-line bg-raised text-ink-soft shadow-md hover:bg-hover",
} as const;
const SIZES = { small: "size-7", normal: "size-8" } as const;

interface IconButtonProps extends Omit<ComponentProps<"button">, "aria-label" | "title"> {
  readonly label: string;
  readonly look?: keyof typeof LOOKS;
  readonly size?: keyof typeof SIZES;
}

export function IconButton({ label, look = "quiet", size = "normal", className, ...props }: IconButtonProps) {
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      className={classes(
        "inline-flex shrink-0 items-center justify-center transition-colors disabled:opacity-40",
        LOOKS[look],
        SIZES[size],
        className,
      )}
      {...props}
    />
  );
}
