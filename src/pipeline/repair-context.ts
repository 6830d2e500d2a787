import type { AskParts } from "../agent/ask.ts";
import type { Failure } from "../domain/evidence.ts";
import type { LineRange } from "../domain/experience.ts";
import type { FaultLocation } from "../domain/fault.ts";
import type { Problem } from "../domain/problem.ts";
import type { PullRequest } from "../domain/repository.ts";
import type { Switches } from "../domain/switches.ts";
import { type Git, GitFailed, type WorkingCopy } from "../ports/git.ts";
import type { Histories, History } from "../ports/history.ts";
import { NO_CONTEXT } from "../repair/context.ts";
import type { RepairContext } from "../repair/engine.ts";
import { FaultHistory } from "../repair/history/fault-history.ts";
import { failingTests } from "../repair/localize/from-tests.ts";
import { FileTexts } from "../repair/localize/input.ts";
import { type LabelledPlace, labelled, localize } from "../repair/localize/localize.ts";
import { changedLines } from "../repair/localize/pull-request.ts";
import { NOTHING_TOLD, requirementOf, type Told } from "../repair/requirement.ts";
import type { Reproduction } from "../repair/sequence.ts";

/** What the door knows of the change that turned red. */
export interface RedChange {
  /** The commit it was made on; null where only the repository itself may tell. */
  readonly base: string | null;
  readonly told: Told;
  /** Places of an experiment's labels (`--localization line|method`). */
  readonly labelled: readonly LabelledPlace[];
}

/** What the host tells of it. */
export function redChange({ base }: { readonly base: string | null }, pull: PullRequest | null): RedChange {
  const pullRequest = pull === null ? null : { number: pull.number, title: pull.title, body: pull.body };
  return { base, told: { ...NOTHING_TOLD, pullRequest }, labelled: [] };
}

export interface ContextParts {
  readonly git: Pick<Git, "resolve">;
  readonly histories: Histories;
  /** The repository the failing commit is taken from: only read. */
  readonly from: string;
  readonly copy: Pick<WorkingCopy, "commit" | "base" | "read">;
  readonly paths: readonly string[];
  readonly change: RedChange;
  readonly switches: Switches;
  /** Who may be asked about one problem; null without a model. */
  readonly askFor: ((problem: Problem) => Promise<AskParts>) | null;
  readonly tell: (line: string) => void;
}

/** What stays the same however often a problem is tried. */
type Known = Pick<RepairContext, "locations" | "history" | "requirement" | "shape">;

/**
 * What is known about each problem beyond its log (papers §2): where the fault may lie, what history says of it, what people
 * asked for. Found out when an engine first needs it, once for each problem. Whoever opens it closes it.
 */
export class RepairContexts {
  private readonly known = new Map<string, Promise<Known>>();
  private opened: Promise<History | null> | null = null;
  private change: Promise<PullRequestCommits> | null = null;

  constructor(private readonly parts: ContextParts) {}

  /** Never rejects: what cannot be read is told and left out. */
  async of(problem: Problem, failures: readonly Failure[], { before }: Pick<Reproduction, "before">): Promise<Known> {
    const known = this.known.get(problem.id) ?? this.find(problem, located(failures, before?.failures ?? []));
    this.known.set(problem.id, known);
    return known;
  }

  async close(): Promise<void> {
    await (await this.opened)?.close();
  }

  private async find(problem: Problem, failures: readonly Failure[]): Promise<Known> {
    const { copy, switches, change } = this.parts;
    const paths = new Set(this.parts.paths);
    const read = (path: string): Promise<string | null> =>
      paths.has(path) ? copy.read(copy.base, path) : Promise.resolve(null);
    const commits = await this.pullRequest();
    const { changed } = commits;
    const locations =
      switches.localization === "ci"
        ? await localize({ failures, paths, read, changed })
        : await labelled(change.labelled, switches.localization, read);
    const tests = switches.requirement ? await failingTests({ failures, paths }, new FileTexts(read)) : [];
    const requirement = switches.requirement ? requirementOf(change.told, tests) : null;
    const history = await this.history(problem, failures, locations, commits);
    return { locations, requirement, ...history };
  }

  private async history(
    problem: Problem,
    failures: readonly Failure[],
    locations: readonly FaultLocation[],
    { inPr }: PullRequestCommits,
  ): Promise<Pick<Known, "history" | "shape">> {
    const history = await this.open();
    if (history === null) return { history: NO_CONTEXT.history };
    const { copy, switches, askFor, tell } = this.parts;
    const fault = new FaultHistory(locations, {
      history,
      commit: copy.commit,
      inPr,
      switches,
      failure: [problem.title, ...failures.map(({ excerpt }) => excerpt)].join("\n\n"),
      judge: askFor === null ? null : () => askFor(problem),
      tell,
    });
    return { history: (asked) => fault.ask(asked), shape: fault.shape };
  }

  private open(): Promise<History | null> {
    const { histories, from, tell } = this.parts;
    this.opened ??= histories.open(from).catch((error: unknown) => {
      if (!(error instanceof GitFailed)) throw error;
      tell(`the history could not be read: ${error.message}`);
      return null;
    });
    return this.opened;
  }

  private pullRequest(): Promise<PullRequestCommits> {
    this.change ??= this.readPullRequest().catch((error: unknown) => {
      if (!(error instanceof GitFailed)) throw error;
      this.parts.tell(`what the change wrote could not be read: ${error.message}`);
      return UNKNOWN_CHANGE;
    });
    return this.change;
  }

  private async readPullRequest(): Promise<PullRequestCommits> {
    const history = await this.open();
    const base = history === null ? null : await this.baseCommit(history);
    if (history === null || base === null) return UNKNOWN_CHANGE;
    const { commit } = this.parts.copy;
    const inPr = await history.between(base, commit);
    if (inPr.size > MOST_COMMITS) return UNKNOWN_CHANGE;
    return { inPr, changed: changedLines(await history.diff(base, commit, 0)) };
  }

  /** Where the red change parts from the line it goes into: as the door says, else from the default branch as the clone knows it. */
  private async baseCommit(history: History): Promise<string | null> {
    const { git, from, change, copy } = this.parts;
    for (const name of change.base === null ? DEFAULT_BRANCHES : [change.base]) {
      const found = await git.resolve(from, name);
      const base = found === null ? null : await history.mergeBase(found, copy.commit);
      if (base !== null) return base === copy.commit ? null : base;
    }
    return null;
  }
}

const DEFAULT_BRANCHES = ["origin/HEAD", "origin/main", "origin/master", "main", "master"];
// A branch of more commits is a line of development of its own: who wrote a line in it says little.
const MOST_COMMITS = 500;

interface PullRequestCommits {
  readonly inPr: ReadonlySet<string>;
  readonly changed: ReadonlyMap<string, readonly LineRange[]> | null;
}

const UNKNOWN_CHANGE: PullRequestCommits = { inPr: new Set(), changed: null };

/** Where the log names no place, the same check run here may. */
function located(failures: readonly Failure[], before: readonly Failure[]): readonly Failure[] {
  if (failures.some(({ location, stack }) => location !== null || stack.length > 0)) return failures;
  const signatures = new Set(failures.map(({ signature }) => signature));
  const same = before.filter(({ signature }) => signatures.has(signature));
  return same.length > 0 ? same : failures;
}
