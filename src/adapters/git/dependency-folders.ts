/** Names of folders in which package managers install into a project, whatever their place in it. */
const FOLDERS: ReadonlySet<string> = new Set([
  "node_modules",
  "bower_components",
  ".venv",
  "venv",
  ".tox",
  ".nox",
  "__pypackages__",
  "vendor",
  "target",
  ".gradle",
  ".m2",
  "Pods",
  ".bundle",
  "deps",
  "elm-stuff",
  ".dart_tool",
  ".build",
  ".yarn",
  ".pnpm-store",
  ".cargo",
]);

/** Folders that count only below a certain other, which may itself be tracked: `vendor/bundle`. */
const NESTED: readonly string[] = ["vendor/bundle", ".yarn/cache"];

/**
 * The dependency folders that ignored entries lie in or are; entries end in "/" when they are folders. The outermost
 * name counts. Sorted, without a trailing "/". Whether one is ignored as a whole is the caller's question.
 */
export function dependencyFoldersOf(ignored: readonly string[]): string[] {
  const found = ignored.flatMap((entry) => {
    const parts = entry.split("/").slice(0, -1);
    return parts.flatMap((_, index) => {
      const folder = parts.slice(0, index + 1);
      const known = FOLDERS.has(folder.at(-1) ?? "") || NESTED.includes(folder.slice(-2).join("/"));
      return known ? [folder.join("/")] : [];
    });
  });
  return [...new Set(found)].sort();
}

/** Those folders of which nothing is tracked or would be, and which lie in no other of them. */
export function wholeFolders(folders: readonly string[], kept: readonly string[]): string[] {
  const holding = new Set(kept.flatMap((file) => parents(file)));
  const whole = folders.filter((folder) => !holding.has(folder));
  return whole.filter((folder) => !parents(folder).some((parent) => whole.includes(parent)));
}

function parents(file: string): string[] {
  const parts = file.split("/").slice(0, -1);
  return parts.map((_, index) => parts.slice(0, index + 1).join("/"));
}
