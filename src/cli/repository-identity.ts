import path from "node:path";
import type { RepositoryFacts } from "../ports/git.ts";

/** By what name memory knows a local clone: `owner/name` of its origin, else `local/<folder>` (design §5). */
export function repositoryIdentity({ origin, root }: Pick<RepositoryFacts, "origin" | "root">): string {
  return origin ?? `local/${path.basename(root)}`;
}

/** A workflow file as the repository names it, whatever folder the file was read from. */
export function workflowPath(file: string, root: string): string {
  const inside = path.relative(root, path.resolve(file));
  if (!inside.startsWith("..") && !path.isAbsolute(inside)) return inside.split(path.sep).join("/");
  return file.startsWith(".github/") ? file : `.github/workflows/${path.basename(file)}`;
}
