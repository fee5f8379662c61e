/** Small things the browser remembers. Where storage is forbidden, nothing is remembered and nothing breaks. */

const PREFIX = "deerflow.";

export function remembered(key: string): string | undefined {
  try {
    return localStorage.getItem(PREFIX + key) ?? undefined;
  } catch {
    return undefined;
  }
}

/** Remembers a text; an empty one is forgotten. */
export function remember(key: string, value: string): void {
  try {
    if (value === "") localStorage.removeItem(PREFIX + key);
    else localStorage.setItem(PREFIX + key, value);
  } catch (error) {
    console.info(`${key} is not remembered.`, error);
  }
}
