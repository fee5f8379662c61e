/**
 * True of a name, as `a/b.txt`, when `test` is true of it and of each folder on the way to it, as a walk would find it.
 * Names are best asked about in order: most then have the folder of the one before.
 */
export function wayTest(test: (name: string) => boolean): (name: string) => boolean {
  let known = { folder: "", isOpen: true };
  const isOpen = (folder: string): boolean =>
    folder.split("/").every((_, at, names) => test(names.slice(0, at + 1).join("/")));
  return (name) => {
    const folder = name.slice(0, Math.max(0, name.lastIndexOf("/")));
    if (folder !== known.folder) known = { folder, isOpen: folder === "" || isOpen(folder) };
    return known.isOpen && test(name);
  };
}
