import { describe, expect, it } from "vitest";
import { decompose } from "../../src/problems/decompose.ts";
import { aFailure, aValidation, evidenceOf } from "../fakes/evidence.ts";

const mendsItself = (tool: string): boolean => tool === "prettier" || tool === "eslint";

describe("decomposing a red run into problems", () => {
  it("makes one problem of each cause within a validation", () => {
    const evidence = evidenceOf([
      aFailure({ id: "f1", signature: "a", testId: "adds" }),
      aFailure({ id: "f2", signature: "a", testId: "adds" }),
      aFailure({ id: "f3", signature: "b", testId: "subtracts" }),
    ]);

    const problems = decompose(evidence, mendsItself);

    expect(problems.map(({ title, failures }) => ({ title, failures }))).toEqual([
      { title: "vitest: adds", failures: ["f1", "f2"] },
      { title: "vitest: subtracts", failures: ["f3"] },
    ]);
  });

  it("folds a cascade into its cause", () => {
    const evidence = evidenceOf([
      aFailure({ id: "f1", signature: "missing module" }),
      aFailure({ id: "f2", signature: "type of what is missing", cascadeOf: "f1" }),
      aFailure({ id: "f3", signature: "and what uses it", cascadeOf: "f2" }),
    ]);

    expect(decompose(evidence, mendsItself).map((problem) => problem.failures)).toEqual([["f1", "f2", "f3"]]);
  });

  it("survives a cascade that runs in a circle", () => {
    const evidence = evidenceOf([
      aFailure({ id: "f1", cascadeOf: "f2", signature: "x" }),
      aFailure({ id: "f2", cascadeOf: "f1", signature: "y" }),
    ]);

    expect(
      decompose(evidence, mendsItself)
        .flatMap((problem) => problem.failures)
        .sort(),
    ).toEqual(["f1", "f2"]);
  });

  it("makes one problem of all that a tool mends by itself", () => {
    const files = ["a.ts", "b.ts", "c.ts", "d.ts", "e.ts"];
    const evidence = evidenceOf(
      files.map((file, index) =>
        aFailure({
          id: `f${index}`,
          tool: "prettier",
          category: "code_formatting",
          location: { file, line: null, col: null },
        }),
      ),
    );

    expect(decompose(evidence, mendsItself)).toEqual([
      {
        id: "p1",
        title: "prettier: 5 findings in 5 files",
        category: "code_formatting",
        tool: "prettier",
        failures: ["f0", "f1", "f2", "f3", "f4"],
        validation: "v1",
        files,
        origin: "observed",
        order: 9999,
      },
    ]);
  });

  it("keeps a validation with many causes together, since its check turns green only as a whole", () => {
    const evidence = evidenceOf(["a", "b", "c", "d"].map((signature) => aFailure({ id: signature, signature })));

    expect(decompose(evidence, mendsItself)).toHaveLength(1);
  });

  it("orders problems as CI orders their validations", () => {
    const evidence = evidenceOf(
      [
        aFailure({ id: "f1", validation: "v2", signature: "later" }),
        aFailure({ id: "f2", validation: "v1", signature: "earlier" }),
      ],
      [aValidation({ id: "v1", order: 1 }), aValidation({ id: "v2", order: 2 })],
    );

    expect(decompose(evidence, mendsItself).map(({ id, failures }) => [id, failures])).toEqual([
      ["p1", ["f2"]],
      ["p2", ["f1"]],
    ]);
  });

  it.each(["infra_transient", "flaky", "secret_or_permission", "cancelled"] as const)(
    "makes no problem of %s",
    (category) => {
      expect(decompose(evidenceOf([aFailure({ id: "f1", category })]), mendsItself)).toEqual([]);
    },
  );

  it("makes a problem of what it does not know", () => {
    expect(decompose(evidenceOf([aFailure({ id: "f1", category: "unknown", tool: null })]), mendsItself)).toHaveLength(
      1,
    );
  });
});
