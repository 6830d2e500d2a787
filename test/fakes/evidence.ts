import type { Evidence, Failure, Validation } from "../../src/domain/evidence.ts";

/** A failure with everything unsaid at its plainest. */
export function aFailure(told: Partial<Failure> & { readonly id: string }): Failure {
  return {
    category: "assertion_error",
    tool: "vitest",
    rule: null,
    message: "expected 3 to be 4",
    signature: `signature of ${told.id}`,
    validation: "v1",
    testId: null,
    expected: null,
    actual: null,
    location: null,
    stack: [],
    source: "job.log",
    lines: [1],
    excerpt: "expected 3 to be 4",
    job: "test",
    step: { number: 3, name: "Run npm test" },
    command: "npm test",
    cascadeOf: null,
    legs: ["test"],
    ...told,
  };
}

export function aValidation(told: Partial<Validation> & { readonly id: string }): Validation {
  return {
    order: 1,
    job: "test",
    jobKey: "test",
    step: { number: 3, name: "Run npm test" },
    command: "npm test",
    tool: "vitest",
    kind: "test",
    status: "failed",
    unreachedBecause: null,
    context: { workingDirectory: "", shell: null, env: {}, obstacles: [], runtimes: {} },
    ...told,
  };
}

export function evidenceOf(failures: readonly Failure[], validations: readonly Validation[] = []): Evidence {
  return {
    failures,
    validations,
    graph: { nodes: [], edges: [] },
    quality: { logs: true, yaml: true, parsedShare: 1 },
  };
}
