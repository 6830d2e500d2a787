import { expect, it } from "vitest";
import { queriesFor } from "../../../src/experience/retrieve/queries.ts";

const WANTED = {
  repo: "acme/shop",
  workflow: ".github/workflows/ci.yml",
  problem: "vitest: src/cart.test.ts: `addItem` keeps an entry twice",
  rootCause: "`addItem` in src/cart.ts does not look first",
  files: ["src/cart.ts"],
  category: "assertion_error",
  signals: ["expected 2 to be 1"],
};

it("asks each level in its own words: the farther, the fewer names of the repository", () => {
  expect(queriesFor(WANTED)).toEqual({
    L1: "acme/shop\nci.yml\nvitest: src/cart.test.ts: `addItem` keeps an entry twice\n`addItem` in src/cart.ts does not look first\nsrc/cart.ts\nassertion error\nexpected 2 to be 1",
    L2: "acme/shop\nvitest: src/cart.test.ts: `addItem` keeps an entry twice\n`addItem` in src/cart.ts does not look first\nsrc/cart.ts\nassertion error\nexpected 2 to be 1",
    L3: "vitest: : keeps an entry twice\nin does not look first\nassertion error\nexpected 2 to be 1",
  });
});

it("leaves out what is not known", () => {
  expect(queriesFor({ ...WANTED, workflow: null, rootCause: null, files: [], signals: [] }).L1).toBe(
    "acme/shop\nvitest: src/cart.test.ts: `addItem` keeps an entry twice\nassertion error",
  );
});
