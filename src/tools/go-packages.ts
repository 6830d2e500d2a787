import type { LogLine } from "../domain/ci-run.ts";

const SEEN = /^(?:FAIL|ok {2}|\? {3})\t(\S+)(?=\s|$)/;
const HOSTED = /^(?:github\.com|gitlab\.com|bitbucket\.org|codeberg\.org)\//;

/**
 * Where packages lie: from an import path to a folder relative to the module, as far as the packages a log names tell. Null
 * where they do not. The module is taken to be what all of them share, on the great hosts their owner and repository.
 */
export function packageFolder(lines: readonly LogLine[]): (name: string) => string | null {
  const names = lines.flatMap(({ text }) => SEEN.exec(text)?.[1] ?? []);
  const shared = sharedPath(names);
  return (name) => {
    const parts = name.split("/");
    const root = HOSTED.test(name) ? hostedRoot(parts) : shared;
    if (root === 0 || (root === parts.length && new Set(names).size < 2 && !HOSTED.test(name))) return null;
    return parts.slice(root).join("/");
  };
}

/** Owner and repository, and the major version where the path says one: `github.com/a/b/v2`. */
function hostedRoot(parts: readonly string[]): number {
  return /^v\d+$/.test(parts[3] ?? "") ? 4 : 3;
}

function sharedPath(names: readonly string[]): number {
  const [first = "", ...others] = names;
  let shared = first.split("/");
  for (const name of others) {
    const parts = name.split("/");
    const differs = shared.findIndex((part, i) => part !== parts[i]);
    if (differs !== -1) shared = shared.slice(0, differs);
  }
  return shared.length;
}
