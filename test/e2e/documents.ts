import { z } from "zod";

const Category = z.enum([
  "dependency_issue",
  "type_checking",
  "linting",
  "code_formatting",
  "test_failure",
  "configuration_error",
  "package_install_error",
  "syntax_error",
  "runtime_error",
  "assertion_error",
  "environment_error",
  "doc_docstring",
  "infra_transient",
  "flaky",
  "secret_or_permission",
  "cancelled",
  "unknown",
]);
const Step = z.strictObject({ number: z.int().nullable(), name: z.string() });
const Count = z.int().nonnegative();
const Usage = z.strictObject({
  calls: Count,
  inputTokens: Count,
  cachedTokens: Count,
  outputTokens: Count,
  usd: z.number().nonnegative().nullable(),
  ms: z.number().nonnegative(),
});

/** `retrace.outcome/1`, no key more and none less. */
export const OutcomeDocument = z.strictObject({
  schema: z.literal("retrace.outcome/1"),
  ended: z.enum(["repaired", "not-repaired", "nothing-to-repair", "not-code", "already-fixed"]),
  verdict: z.enum(["verified", "not-run", "failed"]),
  provedBy: z.enum(["ci", "local", "none"]),
  reproduced: z.enum(["yes", "no", "not-run"]),
  reason: z.string().nullable(),
  problems: z.array(
    z.strictObject({
      id: z.string(),
      title: z.string(),
      category: Category,
      failures: z.array(z.string()).nonempty(),
      state: z.enum(["pending", "already_fixed", "not_present", "repaired", "unverified", "failed", "skipped"]),
      commit: z
        .string()
        .regex(/^[0-9a-f]{40}$/)
        .nullable(),
    }),
  ),
  attempts: z.array(
    z.strictObject({
      problem: z.string(),
      engine: z.enum(["autofix", "base", "fixagent", "tracerepair", "external"]),
      exit: z.string(),
      steps: Count,
      usage: Usage,
    }),
  ),
  guidance: z.array(
    z.strictObject({
      id: z.string(),
      level: z.enum(["L1", "L2", "L3"]),
      pr: z.int().nullable(),
      problem: z.string(),
      contributed: z.string().nullable(),
    }),
  ),
  checks: z.array(
    z.strictObject({
      problem: z.string().nullable(),
      command: z.string(),
      cwd: z.string(),
      exitBefore: z.int().nullable(),
      exitAfter: z.int().nullable(),
      note: z.string().nullable(),
    }),
  ),
  patch: z.string().nullable(),
  files: z.array(z.string()),
  usage: Usage,
  why: z.string().nonempty(),
});
export type OutcomeDocument = z.infer<typeof OutcomeDocument>;

/** `retrace.evidence/1`, no key more and none less. */
export const EvidenceDocument = z.strictObject({
  schema: z.literal("retrace.evidence/1"),
  failures: z.array(
    z.strictObject({
      id: z.string(),
      category: Category,
      tool: z.string().nullable(),
      rule: z.string().nullable(),
      message: z.string(),
      signature: z.string(),
      validation: z.string().nullable(),
      testId: z.string().nullable(),
      expected: z.string().nullable(),
      actual: z.string().nullable(),
      location: z.strictObject({ file: z.string(), line: z.int().nullable(), col: z.int().nullable() }).nullable(),
      source: z.string(),
      lines: z.array(z.int().positive()),
      job: z.string().nullable(),
      step: Step.nullable(),
      command: z.string().nullable(),
      cascadeOf: z.string().nullable(),
      legs: z.array(z.string()),
    }),
  ),
  validations: z.array(
    z.strictObject({
      id: z.string(),
      job: z.string().nullable(),
      step: Step.nullable(),
      command: z.string(),
      tool: z.string().nullable(),
      kind: z.string(),
      status: z.enum(["successful", "failed", "unreached", "excluded"]),
      unreachedBecause: z.enum(["upstream_job", "earlier_step", "fail_fast", "cancelled"]).nullable(),
    }),
  ),
  graph: z.strictObject({
    nodes: z.array(z.strictObject({ id: z.string(), kind: z.string(), ref: z.string() })),
    edges: z.array(z.strictObject({ from: z.string(), to: z.string(), kind: z.string() })),
  }),
  quality: z.strictObject({ logs: z.boolean(), yaml: z.boolean(), parsedShare: z.number().min(0).max(1) }),
});
export type EvidenceDocument = z.infer<typeof EvidenceDocument>;
