/** Light, dark, or what the system says. */
import { useState } from "react";
import { remember, remembered } from "../../lib/storage.js";

export const THEMES = ["system", "light", "dark"] as const;
export type Theme = (typeof THEMES)[number];

export const isTheme = (value: string | undefined): value is Theme => THEMES.some((theme) => theme === value);

export function useTheme(): readonly [Theme, (theme: Theme) => void] {
  const [theme, setTheme] = useState<Theme>(() => {
    const known = remembered("theme");
    return isTheme(known) ? known : "system";
  });
  const choose = (next: Theme) => {
    remember("theme", next === "system" ? "" : next);
    if (next === "system") delete document.documentElement.dataset["theme"];
    else document.documentElement.dataset["theme"] = next;
    setTheme(next);
  };
  return [theme, choose];
}
