import type { AskParts } from "../agent/ask.ts";
import type { Evidence, Failure } from "../domain/evidence.ts";
import type { EvidenceItem, Level } from "../domain/experience.ts";
import type { Guidance } from "../domain/guidance.ts";
import type { GuidanceUse } from "../domain/outcome.ts";
import type { Problem } from "../domain/problem.ts";
import type { Switches } from "../domain/switches.ts";
import { contributionOf } from "../experience/enrich/contribution.ts";
import { guidanceFrom } from "../experience/enrich/guidance.ts";
import { type Filtered, hardFilter } from "../experience/enrich/hard-filter.ts";
import { type Candidate, type Selection, selectByModel, selectByRank } from "../experience/enrich/select.ts";
import type { TreeView } from "../experience/enrich/tree-view.ts";
import { queriesFor, type WantedProblem } from "../experience/retrieve/queries.ts";
import { retrieve } from "../experience/retrieve/retrieve.ts";
import type { ExperienceStore } from "../ports/experience-store.ts";
import type { WorkingCopy } from "../ports/git.ts";

/** Whose memory a repair may use (design §5, §10.8). */
export interface MemoryScope {
  readonly tenants: readonly string[];
  /** Accounts whose general patterns may be used as well; a subset. */
  readonly patternTenants: readonly string[];
  /** `owner/name`, or `local/<folder>`. */
  readonly repo: string;
  readonly workflow: string | null;
}

/** The command line's own account: what was learned from a clone on this machine (design §5). */
const LOCAL = "local";

/**
 * The memory of a repository: its account's, and what was learned of it on this machine. On the command line the patterns of
 * this machine count too; the app keeps accounts apart.
 */
export function memoryScope(repo: string, workflow: string | null, door: "app" | "command-line"): MemoryScope {
  const account = repo.split("/")[0]?.toLowerCase() ?? LOCAL;
  const tenants = [...new Set([account, LOCAL])];
  return { tenants, patternTenants: door === "app" ? [account] : tenants, repo, workflow };
}

export interface RecallParts {
  readonly evidence: Evidence;
  readonly copy: WorkingCopy;
  readonly paths: readonly string[];
  readonly switches: Pick<Switches, "levels" | "selectApplicable">;
  readonly now: Date;
  readonly tell: (line: string) => void;
}

interface Recalled {
  readonly candidates: readonly Candidate[];
  readonly refused: readonly { readonly id: string; readonly level: Level; readonly why: string }[];
}

/**
 * What memory says to the problems of one repair (RETRACE §3.3): looked up and held against the tree once for each, judged by
 * the model only when an engine is about to work on it. A memory that cannot be read is told and is as good as none.
 */
export class Recall {
  private readonly asked = new Map<string, Promise<Guidance | null>>();

  private constructor(
    private readonly parts: RecallParts,
    private readonly recalled: ReadonlyMap<string, Recalled>,
  ) {}

  static async open(
    problems: readonly Problem[],
    store: ExperienceStore,
    scope: MemoryScope,
    parts: RecallParts,
  ): Promise<Recall> {
    const recalled = new Map<string, Recalled>();
    try {
      const tree = treeOf(parts);
      for (const problem of problems) recalled.set(problem.id, await recall(problem, store, scope, tree, parts));
    } catch (error) {
      parts.tell(`memory could not be read: ${(error as Error).message}`);
    }
    return new Recall(parts, recalled);
  }

  /** Judged by the model when there is one and the switches want it; each problem once. */
  guidanceFor(problem: Problem, model: AskParts | null): Promise<Guidance | null> {
    const known = this.asked.get(problem.id) ?? this.judge(problem, model);
    this.asked.set(problem.id, known);
    return known;
  }

  private async judge(problem: Problem, model: AskParts | null): Promise<Guidance | null> {
    const recalled = this.recalled.get(problem.id);
    if (recalled === undefined || recalled.candidates.length === 0) return null;
    const selection = await this.select(problem, recalled, model);
    if (selection.unanswered !== null) this.parts.tell(`the model did not judge memory: ${selection.unanswered}`);
    return guidanceFrom(problem.id, selection, recalled.refused);
  }

  private select(problem: Problem, { candidates }: Recalled, model: AskParts | null): Promise<Selection> | Selection {
    if (model === null || !this.parts.switches.selectApplicable) return selectByRank(candidates);
    const failures = failuresOf(problem, this.parts.evidence);
    const told = [problem.title, ...failures.map(({ message }) => message)].join("\n");
    return selectByModel(told, failures.map(evidenceItem), candidates, model);
  }

  /**
   * The records that stood by each problem, for the outcome; `patches` is what engines that were guided changed. A problem
   * that no engine came to has the nearest record of each level.
   */
  async uses(problems: readonly Problem[], patches: ReadonlyMap<string, string>): Promise<readonly GuidanceUse[]> {
    const uses: GuidanceUse[] = [];
    for (const problem of problems) {
      const guidance = await this.guidanceFor(problem, null);
      const patch = patches.get(problem.id) ?? null;
      for (const { id, level, pr } of guidance?.records ?? []) {
        const contributed = patch === null || guidance === null ? null : contributionOf(id, guidance, patch);
        uses.push({ id, level, pr, problem: problem.id, contributed });
      }
    }
    return uses;
  }
}

function treeOf({ copy, paths, evidence }: RecallParts): TreeView {
  return {
    paths: new Set(paths),
    read: (path) => copy.read(copy.base, path),
    commands: evidence.validations.map(({ command }) => command),
    tools: new Set(evidence.validations.flatMap(({ tool }) => (tool === null ? [] : [tool]))),
  };
}

async function recall(
  problem: Problem,
  memory: ExperienceStore,
  scope: MemoryScope,
  tree: TreeView,
  { copy, switches, evidence, now, tell }: RecallParts,
): Promise<Recalled> {
  const wanted = wantedOf(problem, failuresOf(problem, evidence), scope);
  const own = { ownCommits: [copy.commit], ownEpisodes: [] };
  const hits = await retrieve(queriesFor(wanted), { ...scope, ...own, levels: switches.levels }, { memory, now, tell });
  const held: { readonly candidate: Candidate; readonly filtered: Filtered }[] = [];
  for (const { record, level, rank, score } of hits) {
    const filtered = await hardFilter(record, problem, tree);
    held.push({ filtered, candidate: { filtered, level, rank, score } });
  }
  return {
    candidates: held.flatMap(({ candidate, filtered }) => (filtered.refused === null ? [candidate] : [])),
    refused: held.flatMap(({ candidate, filtered }) =>
      filtered.refused === null ? [] : [{ id: filtered.record.meta.id, level: candidate.level, why: filtered.refused }],
    ),
  };
}

function wantedOf(problem: Problem, failures: readonly Failure[], { repo, workflow }: MemoryScope): WantedProblem {
  return {
    repo,
    workflow,
    problem: problem.title,
    rootCause: null,
    files: problem.files,
    category: problem.category,
    signals: [...new Set(failures.map(({ message }) => message))].slice(0, MOST_SIGNALS),
  };
}

const MOST_SIGNALS = 12; // a hundred findings of one linter say no more than a dozen

function failuresOf(problem: Problem, { failures }: Evidence): readonly Failure[] {
  return failures.filter(({ id }) => problem.failures.includes(id));
}

function evidenceItem({ id, source, lines, excerpt }: Failure): EvidenceItem {
  return { id: `L-${id}`, kind: "log", text: excerpt, locator: `${source}:${lines[0] ?? ""}` };
}
