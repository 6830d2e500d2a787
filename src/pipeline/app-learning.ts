import { z } from "zod";
import type { Reconstruction } from "../domain/experience.ts";
import type { Incident } from "../domain/incident.ts";
import { fullName, type Repository } from "../domain/repository.ts";
import { afterUse } from "../experience/upkeep/worth.ts";
import type { NewJob } from "../ports/queue.ts";
import { type AppParts, answerJob, type LoneAnswer } from "./incident-parts.ts";
import { DEFAULT_PULL_REQUESTS, learnGitHub } from "./learn-github.ts";
import { readPolicy } from "./read-policy.ts";

/** The account that memory of a repository belongs to. */
export function tenantOf({ owner }: Pick<Repository, "owner">): string {
  return owner.toLowerCase();
}

const LearnData = z.object({
  installationId: z.number(),
  owner: z.string(),
  name: z.string(),
  pullRequest: z.number(),
  /** Who asked by which comment on which pull request; null when nobody did. */
  asked: z.object({ commentId: z.number(), on: z.number() }).nullable(),
});
type LearnData = z.infer<typeof LearnData>;

/** The job that learns from one pull request; there is never a second one waiting, and one at a time in all. */
export function learnJob(data: LearnData, runAt: Date): NewJob {
  const key = `learn:${data.owner}/${data.name}#${data.pullRequest}`;
  return {
    key: data.asked === null ? key : `${key}:${data.asked.commentId}`,
    kind: "learn",
    group: "learn",
    runAt,
    data,
  };
}

/** The job that looks for pull requests to learn from, when the app is new to a repository. */
export function backFillJob(installationId: number, fullName: string, runAt: Date): NewJob {
  const [owner = "", name = ""] = fullName.split("/");
  const data = { installationId, owner, name };
  return { key: `back-fill:${fullName}`, kind: "back-fill", group: "learn", runAt, data };
}

/**
 * Learns from one pull request (papers §13.2), when the repository's settings let it. What was learned before is not learned
 * twice: after a kill it simply begins again.
 */
export async function learnFromPullRequest(data: unknown, parts: AppParts): Promise<void> {
  const job = LearnData.parse(data);
  const { installationId, owner, name, pullRequest, asked } = job;
  const github = await parts.app.forInstallation(installationId);
  const repository = await github.repository(owner, name);
  const { policy } = await readPolicy({ installationId, repository }, parts);
  if (!policy.experience.learn && asked === null) return;
  const learned = await learnGitHub(
    github,
    {
      owner,
      name,
      pullRequest,
      limit: 1,
      since: null,
      ...(parts.signal === undefined ? {} : { signal: parts.signal }),
    },
    {
      ...parts,
      learnFor: (as) => parts.learning.partsFor({ ...as, tenant: tenantOf(repository) }),
      tell: (line) => parts.log("learn", { repository: repository.id, line }),
    },
  );
  if (asked === null) return;
  const answer: LoneAnswer = {
    installationId,
    repository,
    pullRequest: asked.on,
    text: sayLearned(pullRequest, learned),
  };
  await parts.queue.put(answerJob(asked.commentId, answer, parts.world.now()));
}

function sayLearned(number: number, learned: readonly Reconstruction[]): string {
  const records = learned.flatMap((one) => one.records);
  if (learned.length === 0) return `#${number} holds nothing to learn: no red run that a later commit turned green.`;
  const list = records.map(
    ({ id, p }) => `- \`${id}\`: ${p.statement.value.split("\n")[0]?.replace(/[`<>@]/g, "") ?? ""}`,
  );
  return [`Learned from #${number}: ${records.length} ${records.length === 1 ? "record" : "records"}.`, ...list].join(
    "\n",
  );
}

/** The newest merged pull requests of a repository, each to be learned from in its turn. */
export async function backFill(data: unknown, parts: AppParts): Promise<void> {
  const { installationId, owner, name } = LearnData.omit({ pullRequest: true, asked: true }).parse(data);
  const github = await parts.app.forInstallation(installationId);
  const repository = await github.repository(owner, name);
  const { policy } = await readPolicy({ installationId, repository }, parts);
  if (!policy.experience.learn) return;
  const pulls = await github.mergedPullRequests(repository, { limit: DEFAULT_PULL_REQUESTS, since: null });
  for (const { number } of pulls) {
    const job = { installationId, owner, name, pullRequest: number, asked: null };
    await parts.queue.put(learnJob(job, parts.world.now()));
  }
}

const CountData = z.object({ records: z.array(z.string()), ended: z.enum(["won", "lost"]) });

/** The job that counts how a repair ended for the records it shows; null when none had a part in it. */
export function countJob({ id, outcome }: Incident, ended: "won" | "lost", runAt: Date): NewJob | null {
  const used = (outcome?.guidance ?? []).filter(({ contributed }) => contributed !== null);
  const records = [...new Set(used.map((use) => use.id))];
  if (records.length === 0) return null;
  return { key: `count:${id}`, kind: "count", group: "learn", runAt, data: { records, ended } };
}

/** Wins and losses by what CI said (papers §13.3); a record that does more harm than good goes into quarantine. */
export async function countUses(
  data: unknown,
  { learning, world }: Pick<AppParts, "learning" | "world">,
): Promise<void> {
  const { records, ended } = CountData.parse(data);
  const memory = learning.openMemory();
  try {
    for (const id of records) {
      const record = await memory.get(id);
      if (record === null) continue;
      const { tenant, repo } = record.meta.scope;
      await memory.change({ tenant, repo }, (existing) =>
        existing.filter(({ meta }) => meta.id === id).map((one) => afterUse(one, ended, world.now())),
      );
    }
  } finally {
    await memory.close();
  }
}

/** Forgets a record of a repository's account; the answer for whoever asked. */
export async function forgetRecord(id: string, repository: Repository, parts: AppParts): Promise<string> {
  const memory = parts.learning.openMemory();
  try {
    const record = await memory.get(id);
    const tenant = tenantOf(repository);
    const { scope } = record?.meta ?? { scope: null };
    const isOurs = scope?.tenant === tenant && (scope.repo === null || scope.repo === fullName(repository));
    if (!isOurs) return `There is no record \`${id}\` in this repository's memory.`;
    const forgotten = await memory.forget(id, parts.world.now());
    return `Forgotten, with what was made from it alone: ${forgotten.map((one) => `\`${one}\``).join(", ")}.`;
  } finally {
    await memory.close();
  }
}

/** The memory of repositories that the app was taken away from (papers §13.4); all of an account without any named. */
export async function forgetRepositories(
  owner: string,
  names: readonly string[] | null,
  parts: Pick<AppParts, "learning" | "world">,
): Promise<void> {
  const memory = parts.learning.openMemory();
  const tenant = owner.toLowerCase();
  try {
    if (names === null) await memory.forgetScope({ tenant, repo: null }, parts.world.now());
    for (const name of names ?? []) await memory.forgetScope({ tenant, repo: name }, parts.world.now());
  } finally {
    await memory.close();
  }
}
