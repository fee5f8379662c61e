/** Gives components the chosen language and its texts. */
import { createContext, use } from "react";
import { translator, type Language, type Translate } from "./translate.js";

export interface LanguageChoice {
  readonly language: Language;
  readonly t: Translate;
  choose(language: Language): void;
}

export const LanguageContext = createContext<LanguageChoice>({
  language: "en",
  t: translator("en"),
  choose: () => {},
});

export const useLanguage = (): LanguageChoice => use(LanguageContext);
export const useText = (): Translate => useLanguage().t;
