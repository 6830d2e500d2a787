import type { LogLine, StepLog } from "../domain/ci-run.ts";

// What runs several programs at once says before each line whose it is: pnpm and lerna (`packages/web lint: `), turbo and
// nx (`web:lint: `), concurrently (`[web] `), docker compose (`web-1  | `).
const PREFIXES: readonly RegExp[] = [
  /^([\w@./-]+ [\w:.-]+): /,
  /^([\w@./-]+:[\w:.-]+): /,
  /^(\[[\w@./ :-]{1,60}\]) /,
  /^([\w@./-]+ *\|) ?/,
];
// A single line may look like it; whoever prefixes does it all along.
const MIN_LINES = 3;

/**
 * The step with each program's lines together and without their prefix, as if they had run one after another; null where
 * nothing was prefixed. Lines keep their numbers.
 */
export function oneAfterAnother<T extends Pick<StepLog, "lines">>(log: T): T | null {
  for (const prefix of PREFIXES) {
    const groups = new Map<string, LogLine[]>();
    const others: LogLine[] = [];
    for (const line of log.lines) {
      const found = prefix.exec(line.text.slice(0, 200));
      const name = found?.[1];
      if (found === null || name === undefined) others.push(line);
      else {
        const group = groups.get(name) ?? [];
        group.push({ ...line, text: line.text.slice(found[0].length) });
        groups.set(name, group);
      }
    }
    const whole = [...groups.values()].filter((lines) => lines.length >= MIN_LINES);
    // Few names on many lines are prefixes; a name of its own on each line is a finding's place.
    if (whole.length === 0 || groups.size > log.lines.length / 3) continue;
    return { ...log, lines: [...others, ...[...groups.values()].flat()] };
  }
  return null;
}
