/** What a tool says of names that it had to leave out; nothing when there are none. */
export function unusableNote(count: number): readonly string[] {
  if (count === 0) return [];
  const names = count === 1 ? "1 name is" : `${count} names are`;
  return [`[${names} not UTF-8 and cannot be used.]`];
}
