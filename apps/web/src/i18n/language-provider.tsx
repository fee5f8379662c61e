/** Holds the chosen language and remembers it. */
import { useEffect, useMemo, useState, type ReactNode } from "react";
import { remember, remembered } from "../lib/storage.js";
import { LanguageContext } from "./language-context.js";
import { firstLanguage, translator } from "./translate.js";

export function LanguageProvider({ children }: { readonly children: ReactNode }) {
  const [language, setLanguage] = useState(() => firstLanguage(remembered("language"), navigator.languages));
  useEffect(() => {
    document.documentElement.lang = language === "zh" ? "zh-CN" : language;
  }, [language]);
  const choice = useMemo(
    () => ({
      language,
      t: translator(language),
      choose: (next: typeof language) => {
        remember("language", next);
        setLanguage(next);
      },
    }),
    [language],
  );
  return <LanguageContext value={choice}>{children}</LanguageContext>;
}
