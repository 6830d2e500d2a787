import type { Check, CheckRun } from "../../src/domain/check.ts";
import type { Evidence, Failure, Validation } from "../../src/domain/evidence.ts";
import type { Problem } from "../../src/domain/problem.ts";

/** A validation that ran and passed in the job `test`, with what a case is about filled in. */
export function validation(about: Partial<Validation> & { readonly id: string }): Validation {
  return {
    order: Number(about.id.replace(/\D/g, "")),
    job: "test",
    jobKey: "test",
    step: { number: null, name: `Run ${about.command}` },
    command: "",
    tool: null,
    kind: "other",
    status: "successful",
    unreachedBecause: null,
    ...about,
    context: { workingDirectory: "", shell: null, env: {}, obstacles: [], runtimes: {}, ...about.context },
  };
}

export function evidence(validations: readonly Validation[], failures: readonly Failure[] = []): Evidence {
  const quality = { logs: true, yaml: true, parsedShare: 1 };
  return { validations, failures, graph: { nodes: [], edges: [] }, quality };
}

export function problem(validation: string | null, failures: readonly string[] = []): Problem {
  const about = { id: "p1", title: "it fails", category: "test_failure", tool: null, files: [], order: 1 } as const;
  return { ...about, origin: "observed", validation, failures };
}

export function check(about: Partial<Check>): Check {
  const plain = { command: "npm test", cwd: "", shell: null, env: {}, tool: null, installs: false };
  return { ...plain, validation: null, notRun: null, ...about };
}

export function ran(about: Partial<CheckRun>): CheckRun {
  return { check: check({}), exitCode: 1, timedOut: false, signatures: [], output: "", ms: 1, ...about };
}
