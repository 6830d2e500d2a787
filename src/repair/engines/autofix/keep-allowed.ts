import type { TreeId, WorkingCopy } from "../../../ports/git.ts";
import { parseDiff } from "../../../text/diff.ts";
import { meansTheSame } from "./may-touch.ts";

/** Takes out of the tree what was changed since `before` in files that the rule is not there to change. */
export async function keepAllowed(
  copy: WorkingCopy,
  before: TreeId,
  mayTouch: (path: string) => boolean,
): Promise<void> {
  const after = await copy.snapshot();
  if (after === before) return;
  const parts = splitPatch(await copy.diff(before, after));
  const kept: string[] = [];
  for (const part of parts) {
    const paths = parseDiff(part).flatMap(({ oldPath, newPath }) => [oldPath, newPath]);
    const asked = await Promise.all(
      paths.map(async (path) => path === null || mayTouch(path) || meansTheSame(copy, path, before, after)),
    );
    if (asked.every(Boolean)) kept.push(part);
  }
  if (kept.length === parts.length) return;
  await copy.restore(before);
  await copy.apply(kept.join(""));
}

/** One part a file: no line of a hunk starts as a header does. */
function splitPatch(patch: string): readonly string[] {
  return patch.split(/^(?=diff --git )/m).filter((part) => part !== "");
}
