/** What comes from models, tools and files, made safe for a person's terminal. */
import { stripVTControlCharacters } from "node:util";

/**
 * The text without what would move the cursor, talk to the terminal, or show letters in another order than they are;
 * line breaks and tabs stay. Pure.
 */
export const printable = (text: string): string =>
  stripVTControlCharacters(text)
    .replaceAll(/\r\n?/g, "\n")
    .replaceAll(/[^\P{Cc}\n\t]|[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/gu, "");
