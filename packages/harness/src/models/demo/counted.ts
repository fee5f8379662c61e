/** A number with its noun, the noun in the plural unless it is one thing. */
export const counted = (count: number, noun: string, plural = `${noun}s`): string =>
  `${count} ${count === 1 ? noun : plural}`;
