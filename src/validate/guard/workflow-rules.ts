import { load } from "js-yaml";
import { z } from "zod";
import type { GuardFinding } from "../../domain/patch.ts";
import type { ChangedFile, GuardRule } from "./patch-view.ts";

const Step = z.looseObject({
  name: z.string().optional(),
  run: z.string().optional(),
  uses: z.string().optional(),
  if: z.unknown().optional(),
  shell: z.unknown().optional(),
});
const Defaults = z.looseObject({ run: z.looseObject({ shell: z.unknown().optional() }).optional() });
const Job = z.looseObject({
  defaults: Defaults.optional(),
  if: z.unknown().optional(),
  steps: z.array(Step).optional(),
  strategy: z.looseObject({ matrix: z.unknown().optional() }).optional(),
});
const Workflow = z.looseObject({
  defaults: Defaults.optional(),
  on: z.unknown().optional(),
  jobs: z.record(z.string(), Job),
});
type Workflow = z.infer<typeof Workflow>;
type Finding = Omit<GuardFinding, "rule">;

function parse(text: string): Workflow | null {
  try {
    return Workflow.safeParse(load(text)).data ?? null;
  } catch {
    return null;
  }
}

const stepId = (step: z.infer<typeof Step>): string => step.uses?.replace(/@.*/, "") ?? step.name ?? step.run ?? "";

function weakened(file: ChangedFile): Finding[] {
  const [before, after] = [parse(file.before), parse(file.after)];
  if (before === null) return [];
  const found = (message: string): Finding => ({ file: file.path, line: null, message });
  if (after === null) return [found("the workflow is gone or can no longer be read")];
  const findings: Finding[] = [];
  for (const trigger of triggers(before))
    if (!triggers(after).includes(trigger)) findings.push(found(`it no longer runs on ${trigger}`));
    else
      for (const filter of filters(after, trigger).filter((each) => !filters(before, trigger).includes(each)))
        findings.push(found(`on ${trigger} it runs only for some ${filter} now`));
  if (shells(after).some((shell) => !FAILING_SHELL.test(shell) && !shells(before).includes(shell)))
    findings.push(found("a shell of its own decides what counts as a failure"));
  for (const [name, job] of Object.entries(before.jobs)) {
    const now = after.jobs[name];
    if (now === undefined) {
      if (Object.keys(after.jobs).length < Object.keys(before.jobs).length)
        findings.push(found(`the job ${name} is gone`));
      continue;
    }
    if (job.if === undefined && now.if !== undefined)
      findings.push(found(`the job ${name} runs only under a condition now: ${String(now.if)}`));
    const [steps, left] = [job.steps ?? [], now.steps ?? []];
    for (const step of steps) {
      const same =
        left.find((each) => stepId(each) === stepId(step)) ??
        left.find((each) => each.run !== undefined && each.run === step.run);
      if (same === undefined && left.length < steps.length)
        findings.push(found(`the step ${stepId(step).split("\n")[0]} of ${name} is gone`));
      if (same !== undefined && step.if === undefined && same.if !== undefined)
        findings.push(
          found(`the step ${stepId(step).split("\n")[0]} runs only under a condition now: ${String(same.if)}`),
        );
    }
    for (const [axis, was, is] of axes(job, now))
      findings.push(found(`the matrix of ${name} has ${is} values of ${axis} instead of ${was}`));
  }
  return findings;
}

function triggers({ on }: Workflow): readonly string[] {
  if (typeof on === "string") return [on];
  if (Array.isArray(on)) return on.map(String);
  return typeof on === "object" && on !== null ? Object.keys(on) : [];
}

/** What narrows a trigger: `branches`, `paths`, `types` and their kin. */
function filters({ on }: Workflow, trigger: string): readonly string[] {
  const of: unknown = typeof on === "object" && on !== null ? new Map(Object.entries(on)).get(trigger) : null;
  return typeof of === "object" && of !== null ? Object.keys(of) : [];
}

// Named alone, GitHub starts these so that a failing command ends the step.
const FAILING_SHELL = /^(?:bash|sh|pwsh|powershell|python|cmd)$/;

/** Every `shell` of a workflow: of its defaults, of a job's, of a step. */
function shells(workflow: Workflow): readonly string[] {
  const steps = Object.values(workflow.jobs).flatMap((job) => [job.defaults?.run, ...(job.steps ?? [])]);
  return [workflow.defaults?.run, ...steps].flatMap((each) => (typeof each?.shell === "string" ? [each.shell] : []));
}

/** Axes of a matrix that lost values, and growing `exclude`. */
function axes(job: z.infer<typeof Job>, now: z.infer<typeof Job>): [string, number, number][] {
  const sizes = (matrix: unknown): Map<string, number> =>
    new Map(
      Object.entries(typeof matrix === "object" && matrix !== null ? matrix : {}).flatMap(([axis, list]) =>
        Array.isArray(list) ? [[axis, list.length] as const] : [],
      ),
    );
  const [a, b] = [sizes(job.strategy?.matrix), sizes(now.strategy?.matrix)];
  return [...new Set([...a.keys(), ...b.keys()])].flatMap((axis): [string, number, number][] => {
    const [was, is] = [a.get(axis) ?? 0, b.get(axis) ?? 0];
    return (axis === "exclude" ? is > was : is < was) ? [[axis, was, is]] : [];
  });
}

export const WORKFLOW_RULES: readonly GuardRule[] = [
  {
    name: "workflow-weakened",
    looksAt: "jobs, steps, triggers and matrix values that a workflow lost, and conditions it gained",
    find: ({ changed }) =>
      changed.filter(({ oldKind, path }) => oldKind === "ci" && /\.ya?ml$/.test(path)).flatMap(weakened),
  },
];
