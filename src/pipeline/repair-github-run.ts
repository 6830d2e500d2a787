import { rm } from "node:fs/promises";
import path from "node:path";
import type { Incident } from "../domain/incident.ts";
import type { Policy } from "../domain/policy.ts";
import { type Switches, switchesOf } from "../domain/switches.ts";
import { readSettings, SETTINGS_PATH } from "../intake/settings.ts";
import type { GitHub } from "../ports/github.ts";
import { repairBranch } from "../publish/branch.ts";
import { pushRepair } from "../publish/push-repair.ts";
import type { LabelledPlace } from "../repair/localize/localize.ts";
import { collectRuns } from "./collect-run.ts";
import { commitOnHead, fetchSource, type Source } from "./fetch-source.ts";
import type { AppParts } from "./incident-parts.ts";
import { newIncident } from "./new-incident.ts";
import { preparedPublication } from "./publication.ts";
import { settingsNote } from "./read-policy.ts";
import { memoryScope } from "./recall.ts";
import { redChange } from "./repair-context.ts";
import { type Repaired, repairRun } from "./repair-run.ts";
import { triageRuns, withFlaky } from "./triage-incident.ts";

export interface GitHubRunRequest {
  readonly owner: string;
  readonly name: string;
  readonly runId: number;
  readonly publish: boolean;
  readonly switches: Pick<Switches, "engine" | "profile" | "localization">;
  /** Places of an experiment's labels. */
  readonly labelled?: readonly LabelledPlace[];
  /** Memory may guide. */
  readonly experience: boolean;
  readonly maxUsd: number | null;
  readonly signal: AbortSignal;
}

export type GitHubRunParts = Pick<AppParts, "git" | "remoteGit" | "repair" | "readers" | "green" | "world"> & {
  /** Progress and what people should know, a line each. */
  readonly tell: (line: string) => void;
};

export interface GitHubRepaired extends Repaired {
  /** Our pull request's page; null when none was opened. */
  readonly pullRequest: string | null;
}

/** One run at GitHub repaired on demand: the app's own story without its memory of incidents. Leaves no folder behind. */
export async function repairGitHubRun(
  github: GitHub,
  request: GitHubRunRequest,
  parts: GitHubRunParts,
): Promise<GitHubRepaired> {
  const repository = await github.repository(request.owner, request.name);
  const run = await github.run(repository, request.runId);
  const headOwner = run.headRepository?.split("/")[0] ?? repository.owner;
  const pulls = await github.pullRequestsFrom(repository, headOwner, run.headBranch);
  const pull = pulls.find(({ headSha }) => headSha === run.headSha) ?? null;
  const incident = newIncident(
    parts.world.id("inc"),
    {
      installationId: 0,
      repository,
      headSha: run.headSha,
      headBranch: run.headBranch,
      headRepository: run.headRepository,
      pullRequest: pull?.number ?? null,
      runs: [run],
      trigger: { by: "ci" },
    },
    parts.world.now(),
  );
  const settings = readSettings(await github.file(repository, SETTINGS_PATH, repository.defaultBranch));
  const note = settingsNote(settings);
  if (note !== null) parts.tell(note);
  const work = path.join(parts.repair.workFolder, incident.id);
  try {
    const source = await fetchSource(github, incident, work, parts);
    const collected = await collectRuns(github, incident, [run], source.files, parts);
    for (const said of collected.notes) parts.tell(said);
    const scene = { incident, runs: [run], failures: collected.evidence.failures, pull, known: [] };
    const reasons = await triageRuns(github, scene, parts);
    for (const { kind, why } of reasons) parts.tell(`${kind}: ${why}`);
    const repaired = await repairRun(
      {
        id: parts.world.id("rep"),
        // Whoever names a run wants it repaired, whosever the failure is; what is flaky nobody can repair.
        evidence: withFlaky(collected.evidence, reasons),
        from: source.folder,
        commit: source.tested,
        lend: null,
        policy: settings.policy,
        switches: { ...switchesOf(request.switches.profile), ...request.switches },
        memory: request.experience
          ? memoryScope(`${request.owner}/${request.name}`, run.path || null, "command-line")
          : null,
        maxUsd: request.maxUsd,
        change: { ...redChange(source, pull), labelled: request.labelled ?? [] },
        signal: request.signal,
      },
      { ...parts.repair, workFolder: work },
    );
    request.signal.throwIfAborted();
    if (!request.publish || repaired.outcome.ended !== "repaired") return { ...repaired, pullRequest: null };
    const told = { ...incident, explanation: collected.explanation, triage: reasons, outcome: repaired.outcome };
    return {
      ...repaired,
      pullRequest: await publishRepair(github, told, settings.policy, repaired, source, work, parts),
    };
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

async function publishRepair(
  github: GitHub,
  incident: Incident,
  policy: Policy,
  repaired: Repaired,
  source: Source,
  work: string,
  parts: GitHubRunParts,
): Promise<string | null> {
  if (incident.isFork) {
    parts.tell("not published: the run is a fork's, and code of a fork is never pushed");
    return null;
  }
  const branch = repairBranch(incident.headBranch, incident.headSha);
  const [known] = await github.pullRequestsFrom(incident.repository, incident.repository.owner, branch);
  if (known !== undefined) {
    parts.tell("published before: nothing is pushed again");
    return known.htmlUrl;
  }
  // Read again: a commit on a head that is gone would be in nobody's way but ours.
  if ((await github.branchHead(incident.repository, incident.headBranch)) !== incident.headSha) {
    parts.tell("not published: the head moved on since the run");
    return null;
  }
  const commits = await commitOnHead(incident, repaired, source, work, parts);
  if (commits === null) {
    parts.tell("not published: the patch does not apply to the head without the base's changes");
    return null;
  }
  const publication = preparedPublication({
    ...commits,
    branch,
    base: incident.headBranch,
    copyFolder: source.folder,
    needsPerson: repaired.needsPerson,
  });
  const pushed = await pushRepair(
    github,
    parts.remoteGit,
    { ...incident, publication },
    publication,
    repaired.outcome,
    policy,
  );
  if (pushed.ended === "published") return pushed.pullRequest?.htmlUrl ?? null;
  parts.tell(`not published: ${pushed.why}`);
  return null;
}
