import { describe, expect, it } from "vitest";
import { mergeEvidence } from "../../src/evidence/merge-evidence.ts";
import { aFailure, aValidation, evidenceOf } from "../fakes/evidence.ts";

describe("the evidence of several runs of one commit", () => {
  it("holds once what a push and its pull request both show", () => {
    const run = evidenceOf(
      [aFailure({ id: "f1", signature: "cause" }), aFailure({ id: "f2", signature: "effect", cascadeOf: "f1" })],
      [aValidation({ id: "v1" })],
    );

    expect(mergeEvidence([run, run])).toEqual(run);
  });

  it("counts ids through and keeps what belongs together", () => {
    const lint = evidenceOf(
      [aFailure({ id: "f1", signature: "a", job: "lint", command: "eslint ." })],
      [aValidation({ id: "v1", job: "lint", command: "eslint ." })],
    );
    const test = evidenceOf(
      [aFailure({ id: "f1", signature: "b" }), aFailure({ id: "f2", signature: "c", cascadeOf: "f1" })],
      [aValidation({ id: "v1" })],
    );

    const { failures, validations } = mergeEvidence([lint, test]);

    expect(failures.map(({ id, signature, validation, cascadeOf }) => [id, signature, validation, cascadeOf])).toEqual([
      ["f1", "a", "v1", null],
      ["f2", "b", "v2", null],
      ["f3", "c", "v2", "f2"],
    ]);
    expect(validations.map(({ id, job, order }) => [id, job, order])).toEqual([
      ["v1", "lint", 1],
      ["v2", "test", 2],
    ]);
  });

  it("of none is empty", () => {
    expect(mergeEvidence([])).toMatchObject({ failures: [], validations: [] });
  });
});
