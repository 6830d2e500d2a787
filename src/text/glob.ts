/**
 * Whether a repository path matches a glob of `protected-paths`: `**` is any number of folders, `*` and `?` stay within
 * one. A pattern without a slash is compared with the file's name alone, as in .gitignore.
 */
export function matchesGlob(pattern: string, path: string): boolean {
  const subject = pattern.includes("/") ? path : path.slice(path.lastIndexOf("/") + 1);
  return globPattern(pattern.replace(/^\//, "")).test(subject);
}

function globPattern(pattern: string): RegExp {
  const source = pattern.replace(/\*\*\/|\*\*|[*?]|[.+^${}()|[\]\\]/g, (part) => {
    if (part === "**/") return "(?:[^/]+/)*";
    if (part === "**") return ".*";
    if (part === "*") return "[^/]*";
    return part === "?" ? "[^/]" : `\\${part}`;
  });
  return new RegExp(`^${source}$`);
}

/** Whether any of the patterns matches; `*` alone matches everything, "/" included (settings of workflows, branches, authors). */
export function matchesAny(patterns: readonly string[], name: string): boolean {
  return patterns.some((pattern) => pattern === "*" || globPattern(pattern).test(name));
}
