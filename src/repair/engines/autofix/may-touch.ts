import type { TreeId, WorkingCopy } from "../../../ports/git.ts";

/** Files that say what a project depends on: a formatter has no business changing what they mean. */
const MANIFEST =
  /(?:^|\/)(?:package\.json|npm-shrinkwrap\.json|package-lock\.json|yarn\.lock|pnpm-lock\.yaml|bun\.lockb?|composer\.(?:json|lock)|Cargo\.(?:toml|lock)|go\.(?:mod|sum)|pyproject\.toml|poetry\.lock|uv\.lock|Pipfile(?:\.lock)?|Gemfile(?:\.lock)?|deno\.lock|requirements[\w.-]*\.txt)$/;
const INSTALLED = /(?:^|\/)(?:node_modules|\.venv|\.tox|__pycache__)\//;

/** Whether a formatter, linter or a package's own fixing script may change this file. */
export function mayFormat(path: string): boolean {
  return !MANIFEST.test(path) && !INSTALLED.test(path);
}

/** Whether a generator may change this file: whatever it writes is what CI wants committed, installed packages excepted. */
export function mayGenerate(path: string): boolean {
  return !INSTALLED.test(path);
}

/** True when only the writing changed there, not the meaning: the same JSON value, or in other files only white space. */
export async function meansTheSame(copy: WorkingCopy, path: string, before: TreeId, after: TreeId): Promise<boolean> {
  const [old, young] = await Promise.all([copy.read(before, path), copy.read(after, path)]);
  if (old === null || young === null) return false;
  if (!path.endsWith(".json")) return withoutSpace(old) === withoutSpace(young);
  const value = canonicalJson(old);
  return value !== null && value === canonicalJson(young);
}

function withoutSpace(text: string): string {
  return text.replace(/\s+/g, "");
}

function canonicalJson(text: string): string | null {
  try {
    return JSON.stringify(JSON.parse(text));
  } catch {
    return null;
  }
}
