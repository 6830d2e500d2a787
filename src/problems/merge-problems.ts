import { z } from "zod";
import { type AskParts, ask } from "../agent/ask.ts";
import { entitiesIn } from "../agent/cite.ts";
import { loadPromptTexts, renderPrompt } from "../agent/prompt.ts";
import { clusterProblems } from "../domain/cluster-problems.ts";
import { isHypothesis, type Problem, type ProblemEdge } from "../domain/problem.ts";
import { type Comparable, comparable, type SimilarityRule } from "../domain/similarity.ts";
import { fence } from "../text/fence.ts";
import { redact } from "../text/redact.ts";

export interface MergedProblems {
  readonly problems: readonly Problem[];
  /** The edges given, by the ids that are left. */
  readonly edges: readonly ProblemEdge[];
  /** Id → id of the problem that stands for it now. */
  readonly standsFor: ReadonlyMap<string, string>;
  readonly unanswered: string | null;
}

const Answer = z.strictObject({
  groups: z
    .array(
      z.strictObject({ ids: z.array(z.string()).min(1), keepSeparate: z.boolean(), statement: z.string().max(300) }),
    )
    .min(1)
    .max(20),
});

const TEXTS = loadPromptTexts(import.meta.url, "merge-problems.md");

/** A problem as the similarity S of papers §1.9 sees it; of a repair nothing is known yet. */
export function comparedProblem({ title, rootCause, files, category }: Problem): Comparable {
  const symbols = entitiesIn(`${title}\n${rootCause ?? ""}`).filter((name) => !name.includes("/"));
  return comparable({ problem: title, rootCause: rootCause ?? "", files, type: category, fix: "", symbols });
}

/**
 * Problems that are one are repaired once (papers §1.10 T9): grouped by S, never across what is about other names in other
 * files (G9). A hypothesis that resembles an observed problem is that problem; of hypotheses alike the surest stays. Whether
 * observed problems are one is the model's to say, for each group of them: without it, or without an answer, they stay
 * separate. Only what one check decides is ever merged.
 */
export async function mergeProblems(
  problems: readonly Problem[],
  edges: readonly ProblemEdge[],
  rule: SimilarityRule,
  model: AskParts | null,
): Promise<MergedProblems> {
  const items = problems.map((problem) => ({
    id: problem.id,
    confidence: problem.expected?.confidence ?? 1,
    compared: comparedProblem(problem),
    problem,
  }));
  const standsFor = new Map<string, string>();
  const merged = new Map<string, Problem>();
  let unanswered: string | null = null;
  for (const cluster of clusterProblems(items, rule)) {
    const members = cluster.map(({ problem }) => problem);
    const observed = members.filter((problem) => !isHypothesis(problem));
    const [first] = observed.length > 0 ? observed : members;
    if (first === undefined) continue;
    for (const { id } of members.filter(isHypothesis)) if (id !== first.id) standsFor.set(id, first.id);
    for (const group of byCheck(observed)) {
      if (group.length < 2 || model === null) continue;
      const said = await judge(group, model);
      if (!said.answered) unanswered = said.why;
      else
        for (const { ids } of said.value.groups.filter((one) => !one.keepSeparate))
          absorb(ids, group, standsFor, merged);
    }
  }
  return {
    problems: problems.flatMap((one) => (standsFor.has(one.id) ? [] : [merged.get(one.id) ?? one])),
    edges: edges.map((edge) => ({
      ...edge,
      from: standsFor.get(edge.from) ?? edge.from,
      to: standsFor.get(edge.to) ?? edge.to,
    })),
    standsFor,
    unanswered,
  };
}

function byCheck(problems: readonly Problem[]): readonly (readonly Problem[])[] {
  const groups = new Map<string | null, Problem[]>();
  for (const problem of problems) groups.set(problem.validation, [...(groups.get(problem.validation) ?? []), problem]);
  return [...groups.values()];
}

function judge(group: readonly Problem[], model: AskParts) {
  return ask(
    {
      name: "merge.cluster",
      prompt: renderPrompt(TEXTS, { problems: group.map(sayProblem).join("\n\n") }),
      schema: Answer,
      check: ({ groups }) => {
        const said = groups.flatMap(({ ids }) => ids);
        return group.flatMap(({ id }) => {
          const times = said.filter((one) => one === id).length;
          return times === 1 ? [] : [times === 0 ? `${id} is in no group` : `${id} is in two groups`];
        });
      },
    },
    model,
  );
}

function sayProblem({ id, title, category, rootCause, files, signals }: Problem): string {
  const rows = [
    `what: ${title}`,
    `class: ${category}`,
    ...(rootCause === undefined ? [] : [`cause: ${rootCause}`]),
    ...(files.length === 0 ? [] : [`files: ${files.slice(0, 12).join(", ")}`]),
    ...(signals ?? []).slice(0, 4).map((signal) => `signal: ${signal}`),
  ];
  return `## ${id}\n\n${fence(redact(rows.join("\n")))}`;
}

/** The first of a group stands for all of it, with everything they have. */
function absorb(
  ids: readonly string[],
  group: readonly Problem[],
  standsFor: Map<string, string>,
  merged: Map<string, Problem>,
): void {
  const members = group.filter(({ id }) => ids.includes(id));
  const [first, ...others] = members;
  if (first === undefined || others.length === 0) return;
  for (const { id } of others) standsFor.set(id, first.id);
  for (const [id, home] of standsFor) if (others.some((other) => other.id === home)) standsFor.set(id, first.id);
  merged.set(first.id, {
    ...first,
    failures: members.flatMap(({ failures }) => failures),
    files: [...new Set(members.flatMap(({ files }) => files))],
    ...(members.some(({ signals }) => signals !== undefined)
      ? { signals: [...new Set(members.flatMap(({ signals }) => signals ?? []))] }
      : {}),
  });
}
