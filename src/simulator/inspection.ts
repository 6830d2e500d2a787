import { resolve } from "./git/read-history.ts";
import {
  type CheckRunSnapshot,
  type CommentSnapshot,
  type PullSnapshot,
  type ReviewSnapshot,
  type RunSnapshot,
  snapshotBranches,
  snapshotCheckRuns,
  snapshotComment,
  snapshotPull,
  snapshotReview,
  snapshotRun,
} from "./snapshots.ts";
import { knownPull, knownRepository } from "./state/known.ts";
import type { Delivery, Repository } from "./state/nouns.ts";
import type { ForcePush, RequestRecord, Simulation } from "./state/simulation.ts";

/** What there is now, as plain copies. */
export interface Inspection {
  pullRequests(repository: string): PullSnapshot[];
  comments(repository: string, pull: number): CommentSnapshot[];
  reviews(repository: string, pull: number): ReviewSnapshot[];
  /** Newest of each name; those of GitHub Actions' jobs too. */
  checkRuns(repository: string): CheckRunSnapshot[];
  branches(repository: string): Promise<Record<string, string>>;
  runs(repository: string): RunSnapshot[];
  /** null when the file is not there. */
  readFile(repository: string, ref: string, file: string): Promise<string | null>;
  /** The bare repository, for real git on it. */
  folderOf(repository: string): string;
  deliveries(): readonly Delivery[];
  requests(): readonly RequestRecord[];
  forcePushes(): readonly ForcePush[];
}

/** The looks at this simulation. Names that do not exist are an Error. */
export function inspectionOf(simulation: Simulation): Inspection {
  const repositoryOf = (name: string): Repository => knownRepository(simulation, name);
  return {
    pullRequests: (name) => repositoryOf(name).pulls.map(snapshotPull),
    comments: (name, number) => knownPull(repositoryOf(name), number).comments.map(snapshotComment),
    reviews: (name, number) => knownPull(repositoryOf(name), number).reviews.map(snapshotReview),
    checkRuns: (name) => snapshotCheckRuns(repositoryOf(name)),
    branches: (name) => snapshotBranches(repositoryOf(name)),
    runs: (name) => repositoryOf(name).runs.map(snapshotRun),
    readFile: async (name, ref, file) => {
      const { git } = repositoryOf(name);
      return (await resolve(git, `${ref}:${file}`)) === null ? null : git(["show", `${ref}:${file}`]);
    },
    folderOf: (name) => repositoryOf(name).folder,
    deliveries: () => simulation.deliveries,
    requests: () => simulation.requests,
    forcePushes: () => simulation.forcePushes,
  };
}
