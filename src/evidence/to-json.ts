import type { Evidence, Failure, Validation } from "../domain/evidence.ts";

/** The `retrace.evidence/1` document of `explain --json` (design §5), keys in the contract's order. */
export function toEvidenceDocument(evidence: Evidence): Readonly<Record<string, unknown>> {
  return {
    schema: "retrace.evidence/1",
    failures: evidence.failures.map(failureRow),
    validations: evidence.validations.map(validationRow),
    graph: {
      nodes: evidence.graph.nodes.map(({ id, kind, ref }) => ({ id, kind, ref })),
      edges: evidence.graph.edges.map(({ from, to, kind }) => ({ from, to, kind })),
    },
    quality: {
      logs: evidence.quality.logs,
      yaml: evidence.quality.yaml,
      parsedShare: evidence.quality.parsedShare,
    },
  };
}

function failureRow(failure: Failure): Readonly<Record<string, unknown>> {
  const { location, step } = failure;
  return {
    id: failure.id,
    category: failure.category,
    tool: failure.tool,
    rule: failure.rule,
    message: failure.message,
    signature: failure.signature,
    validation: failure.validation,
    testId: failure.testId,
    expected: failure.expected,
    actual: failure.actual,
    location: location && { file: location.file, line: location.line, col: location.col },
    source: failure.source,
    lines: failure.lines,
    job: failure.job,
    step: step && { number: step.number, name: step.name },
    command: failure.command,
    cascadeOf: failure.cascadeOf,
    legs: failure.legs,
  };
}

function validationRow(validation: Validation): Readonly<Record<string, unknown>> {
  const { step } = validation;
  return {
    id: validation.id,
    job: validation.job,
    step: step && { number: step.number, name: step.name },
    command: validation.command,
    tool: validation.tool,
    kind: validation.kind,
    status: validation.status,
    unreachedBecause: validation.unreachedBecause,
  };
}
