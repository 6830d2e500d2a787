/** Flags that make a check stricter: losing one loosens it. */
const STRICT_FLAGS =
  /(?:^|\s)(--check(?:-only)?|--strict[\w-]*|--max-warnings|-Werror|--error-on-warnings|--warnings-as-errors|-race|--frozen-lockfile|--immutable|--locked|--all-targets|--all-features|--workspace|--list-different|--forbid-only|--fail-[\w-]+|--cov[\w.-]*|--coverage[\w.-]*|-D\s+[\w:-]+|-W\s+error|--diff|--noEmit|--exit-code)(?=[\s=]|$)/g;

/** Flags that make a check look away: gaining one loosens it. */
const LOOSE_FLAGS =
  /(?:^|\s)(--exclude[\w-]*|--ignore[\w-]*|--testPathIgnorePatterns|--deselect|-k\s+["']?not\b|-m\s+["']?not\b|--grep\s+\S+\s+--invert|--invert|--skip[\w-]*|--exit-zero|--no-(?:cov|strict|fail|error|verify|check|lint|typecheck|coverage)[\w-]*|-short|-run(?=[\s=])|--testNamePattern|-t(?=\s+["'\w])|--lf|--last-failed|--dry-run|--collect-only|--co|--list-tests|--listTests|--version|--help|--no-run|--updateSnapshot|--update-snapshots?|--snapshot-update|-u|--update|--fix|--write|--quiet|--skipLibCheck|--cap-lints|-A\s+[\w:-]+|--shard|--only[\w-]*|--onlyChanged|--changed[\w-]*|--allow[\w-]*|--reruns|--retries|--disable[\w-]*|--select|--extend-ignore|--errors-only|-E(?=\s))(?=[\s=]|$)/g;

const NEUTRAL = /^(?:echo|true|:|exit 0|printf|sleep)(?=\s|$)|^node -e\s+["']{2}$/;

/** Ways a shell goes on after a command has failed, or turns its answer round. */
const SWALLOWING: readonly { readonly pattern: RegExp; readonly why: string }[] = [
  { pattern: /\|\|/, why: "goes on after a failure (||)" },
  { pattern: /(?<![|>])\|(?!\|)/, why: "answers with what the last program of a pipe says" },
  { pattern: /(?<![&>])&(?![&>])/, why: "no longer waits for it (&)" },
  { pattern: /(?:^|[;&|]\s*)(?:!\s|(?:if|while|until)\s)/, why: "only looks at whether it fails" },
];

function withoutQuoted(command: string): string {
  return command.replace(/"(?:[^"\\]|\\.)*"|'[^']*'/g, '""');
}

/** Why command `b` checks less than `a`, or null when it does not. Another tool in its place is not judged. */
export function weakerBecause(a: string, b: string): string | null {
  if (a.trim() === b.trim()) return null;
  const [unquotedA, unquotedB] = [withoutQuoted(a), withoutQuoted(b)];
  const lost = SWALLOWING.find(({ pattern }) => pattern.test(unquotedB) && !pattern.test(unquotedA));
  if (lost !== undefined) return lost.why;
  const lastPart = unquotedB.split(/;|\n/).at(-1) ?? "";
  if (/;/.test(unquotedB) && !/[;\n]/.test(unquotedA) && !lastPart.includes(programOf(a)))
    return "answers with what another command says (;)";
  const [before, after] = [realCommands(a), realCommands(b)];
  if (before.length > 0 && after.length === 0) return "checks nothing any more";
  if (after.length < before.length) return `runs ${after.length} commands instead of ${before.length}`;
  for (const was of before) {
    const now = after.find((each) => each === was) ?? after.find((each) => programOf(each) === programOf(was));
    const why = now === undefined || now === was ? null : weakerCall(was, now);
    if (why !== null) return why;
  }
  return null;
}

function realCommands(script: string): readonly string[] {
  return script
    .split(/&&|\|\||;|\n/)
    .map((part) => part.trim().replace(/^[@-]+/, ""))
    .filter((part) => part !== "" && !part.startsWith("#") && !NEUTRAL.test(part));
}

/** First word without runners and assignments in front. */
export function programOf(command: string): string {
  const words = command
    .trim()
    .replace(/^[@-]+/, "")
    .split(/\s+/)
    .filter(
      (word) =>
        !/^(?:[A-Z_]+=\S*|npx|pnpm|exec|bunx|uv|run|poetry|bundle|sudo|cross-env|time|dotenv|--|python3?|-m|tox)$/.test(
          word,
        ),
    );
  return words[0] ?? command.trim();
}

function weakerCall(was: string, now: string): string | null {
  if (/\bnpm ci\b/.test(was) && /\bnpm (?:i|install)\b/.test(now)) return "installs without holding to the lockfile";
  const lost = flags(was, STRICT_FLAGS).find((flag) => !flags(now, STRICT_FLAGS).includes(flag));
  if (lost !== undefined) return `lost ${lost}`;
  const gained = flags(now, LOOSE_FLAGS).find((flag) => !flags(was, LOOSE_FLAGS).includes(flag));
  if (gained !== undefined) return `gained ${gained}`;
  const [from, to] = [paths(was), paths(now)];
  const narrowed = from.find((path) => !to.includes(path) && to.some((other) => isInside(other, path)));
  return narrowed === undefined ? null : `looks at less than ${narrowed}`;
}

function flags(command: string, pattern: RegExp): readonly string[] {
  // Twice over the same blank between two flags: the pattern looks ahead, so none is missed.
  return [...command.matchAll(pattern)].map((match) => (match[1] ?? "").replace(/\s+/g, " "));
}

function paths(command: string): readonly string[] {
  return command
    .split(/\s+/)
    .slice(1)
    .map((word) => word.replace(/^["']|["']$/g, ""))
    .filter(
      (word) =>
        /^\.$|^\.\/|\/|^(?:src|lib|tests?|spec|app|packages|e2e)$/.test(word) &&
        !word.startsWith("-") &&
        !word.includes("://"),
    )
    .map((word) => word.replace(/^\.\/(?=.)/, "").replace(/\/$/, ""));
}

function isInside(path: string, folder: string): boolean {
  if (folder === ".") return path !== "." && !path.startsWith("*");
  const base = folder.replace(/(?:\/?(?:\*\*|\.\.\.))?(?:\/\*[\w.{},*]*)?$/, "");
  return base === "" ? true : path !== base && path.startsWith(`${base}/`) && path.length > folder.length;
}
