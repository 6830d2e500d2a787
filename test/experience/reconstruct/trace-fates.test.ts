import fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import { gitHistories } from "../../../src/adapters/git/history.ts";
import { type Fates, traceFates } from "../../../src/experience/reconstruct/trace-fates.ts";
import { type WrittenCommit, writeHistory } from "../../fakes/written-history.ts";

const cleanups: (() => void)[] = [];
afterEach(() => {
  for (const clean of cleanups.splice(0)) clean();
});

/** The fates between the first commit and the last, commits named by their place in the list. */
async function trace(
  commits: readonly WrittenCommit[],
): Promise<Fates & { readonly placeOf: (sha: string | null) => number }> {
  const written = writeHistory(commits);
  cleanups.push(written.remove);
  const history = await gitHistories({}).open(written.dir);
  try {
    const [first = "", last = ""] = [written.shas[0], written.shas.at(-1)];
    const fates = await traceFates(history, first, last, await history.way(first, last));
    return { ...fates, placeOf: (sha) => written.shas.indexOf(sha ?? "") };
  } finally {
    await history.close();
  }
}

/** `c2 f -3 +3-4 retained` */
function show({ delta, development, placeOf }: Awaited<ReturnType<typeof trace>>): {
  delta: string[];
  development: string[];
} {
  const range = (mark: string, at: { start: number; end: number } | null): string =>
    at === null ? "" : ` ${mark}${at.start}${at.end === at.start ? "" : `-${at.end}`}`;
  const one = (ref: Fates["delta"][number]["ref"]): string =>
    `c${placeOf(ref.commit)} ${ref.oldPath === null ? "" : `${ref.oldPath}>`}${ref.path}${range("-", ref.oldRange)}${range("+", ref.newRange)} ${ref.fate}`;
  return {
    delta: delta.map(({ ref }) => one(ref)),
    development: development.flatMap((event) => event.hunks.map((hunk) => `${event.kind}: ${one(hunk)}`)),
  };
}

const lines = (...names: string[]): string => names.map((name) => `${name}\n`).join("");
const BASE = lines("one", "two", "three", "four", "five", "six");

const CASES: readonly {
  readonly name: string;
  readonly commits: readonly WrittenCommit[];
  readonly delta: readonly string[];
  readonly development: readonly string[];
}[] = [
  {
    name: "a change that stays is retained on both sides",
    commits: [{ files: { f: BASE } }, { files: { f: BASE.replace("three", "THREE") } }],
    delta: ["c1 f -3 +3 retained"],
    development: [],
  },
  {
    name: "a change that is taken back owns nothing, nor does the change that takes it back",
    commits: [{ files: { f: BASE } }, { files: { f: BASE.replace("three", "THREE") } }, { files: { f: BASE } }],
    delta: [],
    development: ["reverted: c1 f -3 +3 reverted", "reverting: c2 f -3 +3 neutral"],
  },
  {
    name: "a change written anew keeps what it took away, and nothing else",
    commits: [
      { files: { f: BASE } },
      { files: { f: BASE.replace("three", "THREE") } },
      { files: { f: BASE.replace("three", "3") } },
    ],
    delta: ["c1 f -3 retained", "c2 f +3 retained"],
    development: ["superseded: c1 f +3 superseded"],
  },
  {
    name: "a hunk of the final patch that serves two commits is split",
    commits: [
      { files: { f: BASE } },
      { files: { f: BASE.replace("two", "TWO") } },
      { files: { f: BASE.replace("two", "TWO").replace("three", "THREE") } },
    ],
    delta: ["c1 f -2 +2 retained", "c2 f -3 +3 retained"],
    development: [],
  },
  {
    name: "lines that were deleted, brought back and deleted again belong to the last deletion",
    commits: [
      { files: { f: BASE } },
      { files: { f: BASE.replace("three\n", "") } },
      { files: { f: BASE } },
      { files: { f: BASE.replace("three\n", "") } },
    ],
    delta: ["c3 f -3 retained"],
    development: ["reverted: c1 f -3 reverted", "reverting: c2 f +3 neutral"],
  },
  {
    name: "an attempt on lines of the pull request that is taken back leaves them to whom they belong",
    commits: [
      { files: { f: BASE } },
      { files: { f: BASE.replace("three", "THREE") } },
      { files: { f: BASE.replace("three", "tree") } },
      { files: { f: BASE.replace("three", "THREE") } },
    ],
    delta: ["c1 f -3 +3 retained"],
    development: ["reverted: c2 f -3 +3 reverted", "reverting: c3 f -3 +3 neutral"],
  },
  {
    name: "a change follows its file through a rename",
    commits: [
      { files: { f: BASE } },
      { files: { f: BASE.replace("three", "THREE") } },
      { files: { f: null, g: BASE.replace("three", "THREE") } },
    ],
    delta: ["c1 f>g -3 +3 retained"],
    development: [],
  },
  {
    name: "what a merge of the base brings in is external, what the merge itself writes is not",
    commits: [
      { files: { f: BASE } },
      { files: { f: BASE.replace("one", "ONE") }, parents: [0] },
      { files: { f: BASE.replace("six", "SIX"), g: lines("new") }, parents: [0] },
      { files: { f: lines("ONE", "two", "three", "4", "five", "SIX"), g: lines("new") }, parents: [1, 2] },
    ],
    delta: ["c1 f -1 +1 retained", "c3 f -4 +4 retained", "c3 f -6 +6 external", "c3 g +1 external"],
    development: [],
  },
  {
    name: "files without lines belong to the last commit that changed them",
    commits: [
      { files: { "a.bin": Buffer.from([0, 1, 2]), "run.sh": "true\n", "old.txt": BASE } },
      { files: { "a.bin": Buffer.from([0, 1, 3]) } },
      { files: {}, executable: ["run.sh"] },
      { files: { "old.txt": null, "new.txt": BASE } },
    ],
    delta: ["c1 a.bin retained", "c3 old.txt>new.txt retained", "c2 run.sh retained"],
    development: [],
  },
  {
    name: "names with blanks, quotes and letters of other alphabets stay what they are",
    commits: [{ files: { 'sp "q" ä.txt': BASE } }, { files: { 'sp "q" ä.txt': BASE.replace("two", "2\r") } }],
    delta: ['c1 sp "q" ä.txt -2 +2 retained'],
    development: [],
  },
];

describe("tracing fates", () => {
  it.each(CASES)("$name", async ({ commits, delta, development }) => {
    const shown = show(await trace(commits));

    expect(shown).toEqual({ delta, development });
  });

  it("leaves the patch whole when there are no commits between", async () => {
    const written = writeHistory([{ files: { f: BASE } }, { files: { f: BASE.replace("two", "2") }, parents: [] }]);
    cleanups.push(written.remove);
    const history = await gitHistories({}).open(written.dir);
    const [first = "", last = ""] = written.shas;

    const way = await history.way(first, last);
    const fates = await traceFates(history, first, last, way);
    await history.close();

    expect(way).toBeNull();
    expect(fates.delta.map(({ ref }) => [ref.commit, ref.oldRange, ref.fate])).toEqual([
      [null, { start: 2, end: 2 }, "retained"],
    ]);
  });

  it("follows a vendored commit of a hundred thousand lines", async () => {
    const vendored = Array.from({ length: 100_000 }, (_, index) => `line ${index}\n`).join("");

    const fates = await trace([
      { files: { f: BASE } },
      { files: { "vendor/big.js": vendored } },
      { files: { f: BASE.replace("two", "2"), "vendor/big.js": vendored.replace("line 500\n", "patched\n") } },
    ]);

    expect(show(fates).delta).toEqual([
      "c2 f -2 +2 retained",
      "c1 vendor/big.js +1-500 retained",
      "c2 vendor/big.js +501 retained",
      "c1 vendor/big.js +502-100000 retained",
    ]);
    expect(fates.lines).toEqual({ total: 100_002, attributed: 100_002, guessed: 0, external: 0 });
  }, 30_000);
});

/* ------------------------------------------------------------------ against a replay by brute force */

type Edit =
  | {
      readonly kind: "insert";
      readonly file: number;
      readonly at: number;
      readonly count: number;
      readonly plain: boolean;
    }
  | { readonly kind: "delete"; readonly file: number; readonly at: number; readonly count: number }
  | { readonly kind: "replace"; readonly file: number; readonly at: number; readonly count: number }
  | { readonly kind: "back"; readonly to: number };

const at = fc.nat(1_000);
const file = fc.nat(2);
const edit: fc.Arbitrary<Edit> = fc.oneof(
  fc.record({
    kind: fc.constant("insert" as const),
    file,
    at,
    count: fc.integer({ min: 1, max: 4 }),
    plain: fc.boolean(),
  }),
  fc.record({ kind: fc.constant("delete" as const), file, at, count: fc.integer({ min: 1, max: 3 }) }),
  fc.record({ kind: fc.constant("replace" as const), file, at, count: fc.integer({ min: 1, max: 3 }) }),
  fc.record({ kind: fc.constant("back" as const), to: fc.nat(20) }),
);

type Tree = readonly (readonly string[])[];

/** The trees of a history of edits; texts are never used twice but for plain ones. */
function play(commits: readonly (readonly Edit[])[]): readonly Tree[] {
  let unique = 0;
  const fresh = (): string => `text number ${unique++}`;
  const trees: Tree[] = [
    [0, 1, 2].map(() => Array.from({ length: 12 }, (_, index) => (index % 4 === 3 ? "}" : fresh()))),
  ];
  for (const edits of commits) {
    let tree = (trees.at(-1) ?? []).map((one) => [...one]);
    for (const one of edits) {
      if (one.kind === "back") {
        tree = (trees[one.to % trees.length] ?? []).map((lines) => [...lines]);
        continue;
      }
      const lines = tree[one.file] ?? [];
      const place = one.at % (lines.length + 1);
      const fill =
        one.kind === "delete"
          ? []
          : Array.from({ length: one.count }, () => (one.kind === "insert" && one.plain ? "}" : fresh()));
      lines.splice(place, one.kind === "insert" ? 0 : one.count, ...fill);
    }
    trees.push(tree);
  }
  return trees;
}

/** The commits at which a text came into a file, and at which it left it. */
function flips(
  trees: readonly Tree[],
  index: number,
  text: string,
): { readonly came: number[]; readonly left: number[] } {
  const there = trees.map((tree) => tree[index]?.includes(text) === true);
  const places = there.map((_, place) => place).slice(1);
  return {
    came: places.filter((place) => there[place] && !there[place - 1]),
    left: places.filter((place) => !there[place] && there[place - 1]),
  };
}

describe("fates against a replay by brute force", () => {
  it("attributes every line of the final patch as a line by line replay does", async () => {
    let total = 0;
    let attributed = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(edit, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 8 }),
        async (commits) => {
          const trees = play(commits);
          const fates = await trace(
            trees.map((tree) => ({
              files: Object.fromEntries(
                tree.map((lines, index) => [`f${index}`, lines.map((line) => `${line}\n`).join("")]),
              ),
            })),
          );
          for (const clean of cleanups.splice(0)) clean();
          total += fates.lines.total;
          attributed += fates.lines.attributed;
          const wrong: string[] = [];
          for (const { ref, lines } of fates.delta) {
            const owner = fates.placeOf(ref.commit);
            for (const line of lines.filter(({ text }) => text !== "}")) {
              const { came, left } = flips(trees, Number(ref.path.slice(1)), line.text);
              const moved =
                trees[0]?.[Number(ref.path.slice(1))]?.includes(line.text) &&
                trees.at(-1)?.[Number(ref.path.slice(1))]?.includes(line.text);
              const possible = moved ? [...came, ...left] : line.kind === "added" ? came : left.slice(-1);
              if (owner === -1 && moved) continue;
              if (!possible.includes(owner))
                wrong.push(`${line.kind} ${line.text} by c${owner}, not one of ${possible}`);
            }
          }
          expect(wrong).toEqual([]);
          // Nothing that the final patch owes to a commit stands in its development.
          const effective = new Set(
            fates.delta.flatMap(({ ref, lines }) =>
              lines
                .filter(({ kind, text }) => kind === "added" && text !== "}")
                .map(({ text }) => `${ref.commit} ${text}`),
            ),
          );
          for (const event of fates.development)
            for (const hunk of event.hunks) {
              const texts =
                trees[fates.placeOf(event.commit)]?.[Number(hunk.path.slice(1))]?.slice(
                  (hunk.newRange?.start ?? 1) - 1,
                  hunk.newRange?.end ?? 0,
                ) ?? [];
              if (hunk.fate === "reverted")
                for (const text of texts) expect(effective.has(`${event.commit} ${text}`)).toBe(false);
            }
        },
      ),
      { numRuns: 40, seed: 7 },
    );

    expect(total).toBeGreaterThan(500);
    expect(attributed / total).toBeGreaterThanOrEqual(0.998);
  }, 120_000);
});
