import { describe, expect, it } from "vitest";
import { type CiteContext, type ClaimKind, entitiesIn, judgeClaim } from "../../src/agent/cite.ts";
import type { Citation, EvidenceItem, Fate } from "../../src/domain/experience.ts";

const ITEMS: readonly EvidenceItem[] = [
  {
    id: "L1",
    kind: "log",
    text: "src/cart.ts(4,3): error TS2339: Property 'total'\n  does not exist on type 'Cart'.",
    locator: "0_types.txt:9",
  },
  { id: "H1", kind: "hunk", text: "src/cart.ts @@ -0,0 +3,1 @@\n+  total: number;", locator: "src/cart.ts:3-3" },
  { id: "X1", kind: "hunk", text: "src/cart.ts @@ -1,1 +1,1 @@\n+const workaround = 1;", locator: "src/cart.ts:1-1" },
  { id: "C1", kind: "commit", text: "abc\nadd a total", locator: "abc" },
  {
    id: "S1",
    kind: "step_status",
    text: "test / npm test: unreached (earlier_step)\nnpm test",
    locator: "test / npm test",
  },
  { id: "S2", kind: "step_status", text: "types / tsc: failed\nnpx tsc --noEmit", locator: "types / tsc" },
];
const FATES: Readonly<Record<string, Fate>> = { H1: "retained", X1: "reverted" };
const context: CiteContext = {
  item: (id) => ITEMS.find((item) => item.id === id) ?? null,
  fateOf: (id) => FATES[id] ?? null,
  isUnreached: (id) => id === "S1",
  inTree: (entity) => ["src/shop.ts", "sumCart"].includes(entity),
};
const cite = (id: string, quote: string | null = null): Citation => ({ id, quote });

const CASES: readonly (readonly [string, ClaimKind, string, readonly Citation[], string, string | null])[] = [
  [
    "a quoted log line verifies a statement",
    "statement",
    "Cart has no total",
    [cite("L1", "Property 'total'")],
    "verified",
    null,
  ],
  [
    "white space does not count in quotes",
    "statement",
    "no total",
    [cite("L1", "'total' does not exist")],
    "verified",
    null,
  ],
  ["without a quote it is inferred", "statement", "Cart has no total", [cite("L1")], "inferred", null],
  [
    "evidence that was never given is no evidence",
    "statement",
    "no total",
    [cite("L9")],
    "unsupported",
    "there is no evidence L9",
  ],
  [
    "a wrong quote voids the cite",
    "statement",
    "no total",
    [cite("L1", "all is well")],
    "unsupported",
    'L1 does not say "all is well"',
  ],
  [
    "a commit message cannot state a problem",
    "statement",
    "a total is missing",
    [cite("C1")],
    "unsupported",
    "nothing it cites can speak for statement",
  ],
  [
    "a validation never reached can state a hidden one",
    "statement",
    "tests would fail",
    [cite("S1")],
    "inferred",
    null,
  ],
  [
    "a failed one cannot",
    "statement",
    "tests fail",
    [cite("S2")],
    "unsupported",
    "nothing it cites can speak for statement",
  ],
  ["a repair cites a hunk that stayed", "operations", "add the field", [cite("H1", "total: number")], "verified", null],
  [
    "a repair cannot cite what was taken back",
    "operations",
    "add a workaround",
    [cite("X1")],
    "unsupported",
    "X1 did not stay (reverted)",
  ],
  [
    "a name that stands nowhere takes the claim down",
    "rootCause",
    "sumOrder forgets it",
    [cite("H1")],
    "unsupported",
    "sumOrder stands neither in what it cites nor in the repository",
  ],
  [
    "a name of the repository may be used",
    "rootCause",
    "sumCart of src/shop.ts reads it",
    [cite("H1")],
    "inferred",
    null,
  ],
  ["a validation is spoken for by its step", "validation", "`npx tsc --noEmit`", [cite("S2")], "inferred", null],
  ["nothing cited, nothing claimed", "signals", "red", [], "unsupported", "it cites nothing"],
];

describe("holding claims to their evidence", () => {
  it.each(CASES)("%s", (_name, kind, value, cites, support, why) => {
    const judged = judgeClaim(kind, value, cites, context);

    expect([judged.claim.support, judged.why, judged.claim.value]).toEqual([support, why, value]);
  });

  it("takes wrong cites away and keeps the right ones", () => {
    const judged = judgeClaim("statement", "no total", [cite("L9"), cite("L1"), cite("L1", "nonsense")], context);

    expect(judged.claim.cites).toEqual([cite("L1")]);
  });

  it.each([
    ["Use `npm ci` in src/a.ts", ["npm ci", "src/a.ts"]],
    ["parseRow reads user_name, e.g. TS2345 since 4.0.1", ["parseRow", "user_name", "TS2345", "4.0.1"]],
    ["a plain sentence about a cart and/or a total", []],
  ])("finds what can be checked in %j", (text, expected) => {
    const found = entitiesIn(text);

    expect(found).toEqual(expected);
  });
});
