/** Finds a text and fills in its values. */
import { en, type MessageKey, type Messages } from "./en.js";
import { zh } from "./zh.js";

export const LANGUAGES = { en: "English", zh: "简体中文" } as const;
export type Language = keyof typeof LANGUAGES;
export type Translate = (key: MessageKey, values?: Readonly<Record<string, string | number>>) => string;

const TABLES: Readonly<Record<Language, Messages>> = { en, zh };

export const isLanguage = (value: string | undefined): value is Language =>
  value !== undefined && value in LANGUAGES;

/** The language to begin with: the chosen one, else the first of the browser's that we speak, else English. */
export function firstLanguage(chosen: string | undefined, preferred: readonly string[]): Language {
  if (isLanguage(chosen)) return chosen;
  return preferred.map((tag) => tag.split("-")[0]).find(isLanguage) ?? "en";
}

export const translator =
  (language: Language): Translate =>
  (key, values = {}) =>
    TABLES[language][key].replaceAll(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));
