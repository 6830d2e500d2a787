import type { Failure } from "../../../domain/evidence.ts";

const MOST = 8; // a failure that names more speaks of no one in particular

/** Where logs name a package: a path inside of it, a module that was not found, a package manager's `name@version`. */
const NAMES: readonly RegExp[] = [
  /node_modules\/((?:@[\w.-]+\/)?[\w.-]+)/g,
  /site-packages\/([\w.-]+?)(?:\.py|\/|-\d)/g,
  /(?:Cannot find (?:module|package)|Could not resolve|Failed to resolve import) ['"]((?:@[\w.-]+\/)?[A-Za-z][\w.-]*)/g,
  /No module named ['"]?([A-Za-z_]\w*)/g,
  /\bfrom ['"]((?:@[\w.-]+\/)?[a-z][\w.-]*)['"]/g,
  /(?:^|[\s"'`(])((?:@[\w.-]+\/)?[a-z][\w.-]*)@[\^~]?\d/g,
  /\b([a-z][\w-]*)[=~]=\d/g,
];

/** Names of the dependencies that failures speak of, in order, each once. */
export function dependenciesIn(failures: readonly Failure[]): readonly string[] {
  const texts = failures.map(({ message, excerpt, stack }) =>
    [message, excerpt, ...stack.map(({ file }) => file)].join("\n"),
  );
  const found = texts.flatMap((text) =>
    NAMES.flatMap((name) => [...text.matchAll(name)].map((match) => match[1] ?? "")),
  );
  return [...new Set(found)].filter((name) => name !== "" && !name.startsWith(".")).slice(0, MOST);
}
