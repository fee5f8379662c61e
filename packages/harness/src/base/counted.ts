/** A number with its noun in the right form: `1 byte`, `2 bytes`. */
export const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`;
