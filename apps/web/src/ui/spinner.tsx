/** Something is going on. */
import { LoaderCircle } from "lucide-react";
import { classes } from "../lib/classes.js";

export const Spinner = ({ className }: { readonly className?: string }) => (
  <LoaderCircle aria-hidden className={classes("size-4 animate-spin text-ink-faint", className)} />
);
