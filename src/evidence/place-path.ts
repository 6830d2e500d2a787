import path from "node:path";
import type { Location } from "../domain/evidence.ts";
import { repositoryPath } from "../tools/repository-path.ts";

/** What is known about where a program ran, to say which file of the repository it means. */
export interface Place {
  /** Relative to the repository; "" is its root. */
  readonly cwd: string;
  /** Paths of the repository's files; null where they are not known. */
  readonly repoFiles: ReadonlySet<string> | null;
}

/**
 * The path as the repository knows it. With a list of files: the path itself, seen from the working directory, or the
 * only file that ends in it. Without: seen from the working directory.
 */
export function placePath(file: string, { cwd, repoFiles }: Place): string {
  const relative = repositoryPath(file) ?? file.replaceAll("\\", "/");
  if (path.posix.isAbsolute(relative)) return onlyWithSuffix(relative, repoFiles) ?? relative;
  const fromCwd = path.posix.normalize(path.posix.join(cwd, relative)).replace(/^(?:\.\.\/)+/, "");
  if (repoFiles === null) return cwd !== "" && relative.startsWith(`${cwd}/`) ? relative : fromCwd;
  if (repoFiles.has(fromCwd)) return fromCwd;
  if (repoFiles.has(relative)) return relative;
  return onlyWithSuffix(relative, repoFiles) ?? fromCwd;
}

/** The same for a location. */
export function placeLocation(location: Location, place: Place): Location {
  return { ...location, file: placePath(location.file, place) };
}

/** The only file of the repository that ends in the path, or whose path ends the path (`/build/src/src/a.ts` → `src/a.ts`). */
function onlyWithSuffix(file: string, repoFiles: ReadonlySet<string> | null): string | null {
  if (repoFiles === null) return null;
  const parts = file.split("/").filter((part) => part !== "" && part !== "." && part !== "..");
  for (let from = 0; from < Math.max(1, parts.length - 1); from++) {
    const tail = parts.slice(from).join("/");
    if (repoFiles.has(tail)) return tail;
  }
  const suffix = `/${parts.join("/")}`;
  const matches = [...repoFiles].filter((known) => known.endsWith(suffix));
  return matches.length === 1 ? (matches[0] ?? null) : null;
}
