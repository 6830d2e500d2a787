import { writeFile } from "node:fs/promises";
import path from "node:path";

/**
 * Attributes of our git directory; they win over those in the tree. There `diff` or `-diff` could make bytes text, or a
 * lockfile an unreadable binary patch: content alone decides.
 */
export const OUR_ATTRIBUTES = "* !diff\n";

/** Makes `attributes` those of a git directory of ours. */
export async function writeAttributes(gitDir: string, attributes: string): Promise<void> {
  await writeFile(path.join(gitDir, "info/attributes"), attributes);
}

/** Does `work` under other attributes than our usual ones. */
export async function withAttributes<T>(gitDir: string, attributes: string, work: () => Promise<T>): Promise<T> {
  await writeAttributes(gitDir, attributes);
  try {
    return await work();
  } finally {
    await writeAttributes(gitDir, OUR_ATTRIBUTES);
  }
}
