import type { Failure } from "../domain/evidence.ts";
import { type Incident, isPublished } from "../domain/incident.ts";
import { fullName, isRed, type PullRequest, type WorkflowRun } from "../domain/repository.ts";
import { NOTHING_SEEN, placeOf, type Sightings } from "../evidence/triage.ts";
import type { GitHub } from "../ports/github.ts";
import { type CollectParts, collectRun } from "./collect-run.ts";
import { GREEN_AGAIN } from "./incident-parts.ts";

// What is asked of the host beyond the run itself, at most: lists of runs, and of each a red one's jobs and logs;
const MOST_WORKFLOWS = 3;
const MOST_BASE_LOGS = 5;
// runs of the base to look through for one that came to an end of its own;
const BASE_RUNS = 10;
// earlier attempts of each run;
const MOST_ATTEMPTS = 2;
// other pull requests, asked whether they are still open at the head we know.
const MOST_PULL_REQUESTS = 4;
const MOST_FIXES = 2;

export interface Scene {
  readonly incident: Pick<Incident, "id" | "repository" | "headSha" | "headBranch" | "isFork" | "pullRequest">;
  readonly runs: readonly WorkflowRun[];
  readonly failures: readonly Failure[];
  readonly pull: PullRequest | null;
  /** What the app remembers of this repository, newest first; empty on the command line. */
  readonly known: readonly Incident[];
}

/** Where else these failures were seen. Whatever the host does not tell counts as not known: rejects never. */
export async function lookAround(github: GitHub, scene: Scene, parts: CollectParts): Promise<Sightings> {
  const attempts = await passedBefore(github, scene);
  const flakedBefore = scene.runs.some(({ attempt }) => attempt > 1) ? [] : flakes(scene);
  const { incident, pull } = scene;
  const branch = pull?.baseBranch ?? incident.repository.defaultBranch;
  if (branch === incident.headBranch && !incident.isFork) return { ...NOTHING_SEEN, attempts, flakedBefore };
  const { base, greenBase } = await readBase(github, scene, branch, parts);
  const pullRequests = await onOthers(github, scene);
  const fixes = await openFixes(github, scene, branch);
  // Asked only where the answer decides.
  const changed =
    greenBase === null && pullRequests.length === 0
      ? null
      : await github.filesBetween(incident.repository, branch, incident.headSha).catch(() => null);
  return { base, greenBase, attempts, flakedBefore, pullRequests, fixes, changed };
}

/** What passed at earlier attempts of the same runs. */
async function passedBefore(github: GitHub, { incident, runs }: Scene): Promise<Sightings["attempts"]> {
  const found: Sightings["attempts"][number][] = [];
  for (const run of runs.slice(0, MOST_WORKFLOWS)) {
    const first = Math.max(1, run.attempt - MOST_ATTEMPTS);
    for (let attempt = run.attempt - 1; attempt >= first; attempt--) {
      const jobs = await github.jobs(incident.repository, run.id, attempt).catch(() => []);
      const passed = jobs.flatMap(({ name, conclusion, steps }) => [
        ...(conclusion === "success" ? [name] : []),
        ...steps.filter((step) => step.conclusion === "success").map((step) => placeOf(name, step.name)),
      ]);
      found.push({ attempt, passed });
    }
  }
  return found;
}

/** What a re-run of the same commit turned green. */
function flakes({ incident, known }: Scene): Sightings["flakedBefore"] {
  return known
    .filter(({ id, why }) => id !== incident.id && why?.endsWith(GREEN_AGAIN) === true)
    .map((one) => ({ sha: one.headSha, signatures: signaturesOf(one) }));
}

type Base = Pick<Sightings, "base" | "greenBase">;

/** The newest run of the base branch that came to an end of its own, of each workflow that failed here. */
async function readBase(github: GitHub, scene: Scene, branch: string, parts: CollectParts): Promise<Base> {
  const { incident, runs, failures } = scene;
  const { repository, headSha } = incident;
  const byPath = new Map(runs.filter(({ path }) => path !== "").map((run) => [run.path, run]));
  const jobs = failures.flatMap(({ job, legs }) => [...(job === null ? [] : [job]), ...legs]);
  const shown: { readonly sha: string; readonly signatures: readonly string[] }[] = [];
  const green: { readonly run: WorkflowRun; readonly isNewer: boolean }[] = [];
  for (const [path, ours] of [...byPath].slice(0, MOST_WORKFLOWS)) {
    const asked = { branch, status: "completed", limit: BASE_RUNS } as const;
    const listed = await github.runsOfWorkflow(repository, path, asked).catch(() => []);
    const newest = listed.find((run) => isOfBase(run, scene) && (isRed(run) || run.conclusion === "success"));
    if (newest === undefined) continue;
    // CI tests a pull request merged with the base as it was then: an older run of the base says nothing new.
    const isNewer = ours.event !== "pull_request" || newest.createdAt > ours.createdAt;
    if (!isRed(newest)) green.push({ run: newest, isNewer });
    else shown.push({ sha: newest.headSha, signatures: await shownBy(github, scene, newest, jobs, parts) });
  }
  const [red] = shown;
  const base = red === undefined ? null : { branch, sha: red.sha, signatures: shown.flatMap((run) => run.signatures) };
  const [first] = green;
  if (first === undefined || green.length < byPath.size || !green.every(({ isNewer }) => isNewer))
    return { base, greenBase: null };
  const files = await github.filesBetween(repository, headSha, first.run.headSha).catch(() => null);
  return { base, greenBase: files === null ? null : { branch, sha: first.run.headSha, files } };
}

/** A branch of a fork may be called like the base. */
function isOfBase(run: WorkflowRun, { incident, runs }: Scene): boolean {
  if (run.headRepository !== fullName(incident.repository) || run.event === "pull_request") return false;
  return run.headSha !== incident.headSha && !runs.some(({ id }) => id === run.id);
}

async function shownBy(
  github: GitHub,
  { incident }: Scene,
  run: WorkflowRun,
  jobs: readonly string[],
  parts: CollectParts,
): Promise<readonly string[]> {
  const wish = { waitMs: 0, jobs: { named: jobs, most: MOST_BASE_LOGS } };
  try {
    const { evidence } = await collectRun(github, incident.repository, run.headSha, run, null, parts, wish);
    return evidence.failures.map(({ signature }) => signature).filter((signature) => signature !== "");
  } catch {
    return []; // not known
  }
}

/** Other pull requests whose newest incident shows one of these failures, and that are still open at that head. */
async function onOthers(github: GitHub, { incident, failures, known }: Scene): Promise<Sightings["pullRequests"]> {
  const newest = new Map<number, Incident>();
  for (const one of known)
    if (one.pullRequest !== null && one.pullRequest !== incident.pullRequest && !newest.has(one.pullRequest))
      newest.set(one.pullRequest, one);
  const like = [...newest].filter(([, one]) => showsAny(signaturesOf(one), failures));
  const found: Sightings["pullRequests"][number][] = [];
  for (const [number, one] of like.slice(0, MOST_PULL_REQUESTS)) {
    const pull = await github.pullRequest(incident.repository, number).catch(() => null);
    if (pull?.state === "open" && pull.headSha === one.headSha) found.push({ number, signatures: signaturesOf(one) });
  }
  return found;
}

/** Our open pull requests onto the base that repair one of these failures; those that CI refused repair nothing. */
async function openFixes(
  github: GitHub,
  { incident, failures, known }: Scene,
  branch: string,
): Promise<Sightings["fixes"]> {
  const found: Sightings["fixes"][number][] = [];
  for (const one of known) {
    const { publication } = one;
    if (found.length >= MOST_FIXES) break;
    if (one.id === incident.id || publication?.base !== branch || publication.ci.state === "red") continue;
    if (publication.pullRequest === null || !isPublished(one)) continue;
    const signatures = repairedSignatures(one);
    if (!showsAny(signatures, failures)) continue;
    const number = publication.pullRequest;
    const pull = await github.pullRequest(incident.repository, number).catch(() => null);
    if (pull?.state === "open") found.push({ number, signatures });
  }
  return found;
}

function repairedSignatures(incident: Incident): readonly string[] {
  const repaired = (incident.outcome?.problems ?? []).filter(({ state }) => state === "repaired");
  const ids = new Set(repaired.flatMap(({ failures }) => failures));
  return signaturesOf(incident, ({ id }) => ids.has(id));
}

function signaturesOf(
  { explanation }: Incident,
  counts: (failure: { readonly id: string }) => boolean = () => true,
): readonly string[] {
  return (explanation?.failures ?? []).filter(counts).flatMap(({ signature }) => (signature ? [signature] : []));
}

function showsAny(signatures: readonly string[], failures: readonly Failure[]): boolean {
  return failures.some(({ signature }) => signatures.includes(signature));
}
