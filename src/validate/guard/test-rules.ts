import { removedLines } from "../../text/diff.ts";
import { type Assertion, assertionsIn, type TestCase, testCasesIn } from "./assertions.ts";
import { isCollected } from "./file-kind.ts";
import { type ChangedFile, type GuardRule, isTestFile, type PatchView } from "./patch-view.ts";

interface Place<T> {
  readonly file: ChangedFile;
  readonly it: T;
}

/** Files that hold tests: by name, or with tests in them (Rust keeps them beside the code). */
function testFiles({ changed }: PatchView): readonly ChangedFile[] {
  return changed.filter(
    (file) => file.kind !== "prose" && (isTestFile(file) || testCasesIn(file.maskedBefore).length > 0),
  );
}

function allTests(files: readonly ChangedFile[], side: "before" | "after"): Place<TestCase>[] {
  return files.flatMap((file) =>
    testCasesIn(side === "before" ? file.maskedBefore : file.maskedAfter).map((it) => ({ file, it })),
  );
}

function allAssertions(files: readonly ChangedFile[], side: "before" | "after"): Place<Assertion>[] {
  return files.flatMap((file) =>
    (side === "before"
      ? assertionsIn(file.maskedBefore, file.oldPath ?? file.path)
      : assertionsIn(file.maskedAfter, file.path)
    ).map((it) => ({ file, it })),
  );
}

/** What is left of each list when equal entries cancel each other, wherever they stand. */
function cancel<T>(
  before: readonly Place<T>[],
  after: readonly Place<T>[],
  key: (it: T) => string,
): { gone: Place<T>[]; come: Place<T>[] } {
  const counts = new Map<string, number>();
  for (const { it } of after) counts.set(key(it), (counts.get(key(it)) ?? 0) + 1);
  const gone = before.filter(({ it }) => !take(counts, key(it)));
  const left = new Map<string, number>();
  for (const { it } of before) left.set(key(it), (left.get(key(it)) ?? 0) + 1);
  return { gone, come: after.filter(({ it }) => !take(left, key(it))) };
}

function take(counts: Map<string, number>, key: string): boolean {
  const count = counts.get(key) ?? 0;
  if (count === 0) return false;
  counts.set(key, count - 1);
  return true;
}

/** Lost tests, after renamed ones (as many new names) and tests merged into the rows of a table are allowed for. */
function lostTests(patch: PatchView): {
  readonly lost: readonly Place<TestCase>[];
  readonly gone: readonly Place<TestCase>[];
  readonly come: readonly Place<TestCase>[];
} {
  const files = testFiles(patch);
  const before = allTests(files, "before");
  const after = allTests(files, "after");
  const { gone, come } = cancel(before, after, ({ name }) => name);
  const rowsBefore = before.reduce((sum, { it }) => sum + it.rows, 0);
  const rowsAfter = after.reduce((sum, { it }) => sum + it.rows, 0);
  const count = Math.max(0, Math.min(gone.length, rowsBefore - rowsAfter));
  return { lost: gone.slice(0, count), gone, come };
}

const testRemoved: GuardRule = {
  name: "test-removed",
  looksAt:
    "test cases that are there before and not after: deleted, commented out, renamed so that no runner collects them",
  find: (patch) =>
    lostTests(patch).lost.map(({ file, it }) => ({
      file: file.path,
      line: it.line,
      message: `the test "${it.name}" is gone (it stood at line ${it.line})`,
    })),
};

const rowsRemoved: GuardRule = {
  name: "test-rows-removed",
  looksAt: "rows taken out of the table of a test",
  find(patch) {
    const files = testFiles(patch);
    const after = new Map(allTests(files, "after").map(({ it }) => [it.name, it]));
    return allTests(files, "before").flatMap(({ file, it }) => {
      const now = after.get(it.name);
      if (now === undefined || it.rows <= 1 || now.rows >= it.rows) return [];
      return [
        {
          file: file.path,
          line: now.line,
          message: `the table of "${it.name}" has ${now.rows} rows instead of ${it.rows}`,
        },
      ];
    });
  },
};

const testFileLeft: GuardRule = {
  name: "test-not-collected",
  looksAt: "test files deleted, or renamed so that a runner does not find them",
  find: ({ changed }) =>
    changed.flatMap((file) => {
      if (file.oldPath === null || !isCollected(file.oldPath)) return [];
      if (file.diff.status === "renamed" && !isCollected(file.path)) {
        return [
          {
            file: file.path,
            line: null,
            message: `${file.oldPath} was a test file; under its new name no runner collects it`,
          },
        ];
      }
      return [];
    }),
};

interface Loss {
  readonly rule: "assertion-removed" | "assertion-loosened";
  readonly file: string;
  readonly line: number;
  readonly message: string;
}

/** Pairs assertions that are gone with those that came, by subject, then by test; what finds no equal is a loss. */
function assertionLosses(patch: PatchView): readonly Loss[] {
  const files = testFiles(patch);
  const { gone, come } = cancel(allAssertions(files, "before"), allAssertions(files, "after"), ({ text }) => text);
  const { gone: goneTests, come: newTests, lost } = lostTests(patch);
  const names = (places: readonly Place<TestCase>[]): Set<string> => new Set(places.map(({ it }) => it.name));
  const [goneNames, newNames, lostNames] = [names(goneTests), names(newTests), names(lost)];
  const uses = new Map<Place<Assertion>, number>();
  const losses: Loss[] = [];
  for (const was of gone) {
    // Reported as a lost test already, or merged into the rows of a table.
    if (lostNames.has(was.it.test)) continue;
    const fits: readonly ((now: Place<Assertion>) => boolean)[] = [
      ({ it, file }) => file === was.file && it.test === was.it.test && it.subject === was.it.subject,
      ({ it }) => it.subject === was.it.subject && it.subject.length > 2,
      ({ it, file }) => file === was.file && it.test === was.it.test,
      ({ it }) => goneNames.has(was.it.test) && newNames.has(it.test),
    ];
    const free = come.filter((now) => (uses.get(now) ?? 0) < now.it.facts);
    const now = fits.map((fit) => strongest(free.filter(fit), was.it)).find((found) => found !== undefined);
    if (now === undefined) {
      if (goneNames.has(was.it.test) && newNames.size > 0) continue;
      losses.push({
        rule: "assertion-removed",
        file: was.file.path,
        line: was.it.line,
        message: `an assertion is gone (it stood at line ${was.it.line}): ${shorten(was.it.text)}`,
      });
      continue;
    }
    uses.set(now, (uses.get(now) ?? 0) + 1);
    const weaker = was.it.strength !== null && now.it.strength !== null && now.it.strength < was.it.strength;
    if (weaker || toleranceGrew(was.it.text, now.it.text)) {
      losses.push({
        rule: "assertion-loosened",
        file: now.file.path,
        line: now.it.line,
        message: `demands less than before: ${shorten(was.it.text)} became ${shorten(now.it.text)}`,
      });
    }
  }
  return losses;
}

/** The candidate nearest in line among those at least as strong, else the strongest. */
function strongest(candidates: readonly Place<Assertion>[], was: Assertion): Place<Assertion> | undefined {
  const near = [...candidates].sort((a, b) => Math.abs(a.it.line - was.line) - Math.abs(b.it.line - was.line));
  const enough = near.find(({ it }) => it.strength === null || was.strength === null || it.strength >= was.strength);
  return enough ?? near.sort((a, b) => (b.it.strength ?? 0) - (a.it.strength ?? 0))[0];
}

/** Arguments that say how exact a number must be; `places` and digits count the other way round. */
function toleranceGrew(was: string, now: string): boolean {
  const read = (text: string, pattern: RegExp): number | null => {
    const match = pattern.exec(text);
    return match === null ? null : Number(match[1]);
  };
  const grew = [/\b(?:abs|rel|atol|abs_tol|rel_tol|rtol|delta|epsilon|within)[=(:](-?[\d.]+(?:e-?\d+)?)/i].some(
    (pattern) => {
      const [a, b] = [read(was, pattern), read(now, pattern)];
      return b !== null && (a === null ? /approx|close/i.test(was) : b > a);
    },
  );
  const shrank = [/\bplaces=(\d+)/, /toBeCloseTo\([^()]*,(\d+)\)/].some((pattern) => {
    const [a, b] = [read(was, pattern), read(now, pattern)];
    return b !== null && a !== null && b < a;
  });
  return grew || shrank;
}

function shorten(text: string): string {
  return text.length > 80 ? `${text.slice(0, 79)}…` : text;
}

function lossRule(name: Loss["rule"], looksAt: string): GuardRule {
  return {
    name,
    looksAt,
    find: (patch) =>
      assertionLosses(patch)
        .filter(({ rule }) => rule === name)
        .map(({ file, line, message }) => ({ file, line, message })),
  };
}

const unawaited: GuardRule = {
  name: "assertion-not-awaited",
  looksAt: "assertions on promises that lost their await: their failure comes too late",
  find: (patch) =>
    testFiles(patch).flatMap((file) => {
      const awaited = new Set(
        removedLines(file.diff)
          .map(({ text }) => text.trim())
          .filter((text) => /^(?:await|return)\s/.test(text))
          .map((text) => text.replace(/^(?:await|return)\s+/, "")),
      );
      return file.diff.hunks.flatMap(({ lines }) =>
        lines
          .filter(({ kind, text }) => kind === "added" && awaited.has(text.trim()))
          .map(({ newLine }) => ({ file: file.path, line: newLine, message: "the assertion is no longer awaited" })),
      );
    }),
};

const unreachable: GuardRule = {
  name: "test-unreachable",
  looksAt: "a return in front of the rest of a test",
  find: (patch) =>
    testFiles(patch).flatMap((file) => {
      const lines = file.maskedAfter.code.split("\n");
      return file.diff.hunks
        .flatMap((hunk) => hunk.lines)
        .filter(
          ({ kind, newLine }) =>
            kind === "added" &&
            newLine !== null &&
            /^\s*return(?:\s+(?:undefined|null|None|nil|true|True|await)?)?;?\s*$/.test(lines[newLine - 1] ?? ""),
        )
        .filter(({ newLine }) => followsAtSameDepth(lines, (newLine ?? 1) - 1))
        .map(({ newLine }) => ({ file: file.path, line: newLine, message: "what follows this return never runs" }));
    }),
};

function followsAtSameDepth(lines: readonly string[], at: number): boolean {
  const depth = /^\s*/.exec(lines[at] ?? "")?.[0];
  const next = lines.slice(at + 1).find((line) => line.trim() !== "");
  return (
    next !== undefined &&
    /^\s*/.exec(next)?.[0] === depth &&
    !/^\s*(?:[)}\]]|else|elif|except|case|default|finally|end\b)/.test(next)
  );
}

export const TEST_RULES: readonly GuardRule[] = [
  testRemoved,
  rowsRemoved,
  testFileLeft,
  lossRule("assertion-removed", "assertions that are there before and neither there nor replaced after"),
  lossRule("assertion-loosened", "assertions replaced by one that demands less, or with a larger tolerance"),
  unawaited,
  unreachable,
];
