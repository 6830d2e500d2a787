import { createPublicKey, generateKeyPairSync, randomUUID } from "node:crypto";
import { rm } from "node:fs/promises";
import type { Server } from "node:http";
import path from "node:path";
import PQueue from "p-queue";
import { createFork, createRepository, install, type NewRepository } from "./create-repository.ts";
import { deliver, redeliver } from "./events/deliver-webhook.ts";
import { tellCheckRun } from "./events/tell-app.ts";
import { resolve } from "./git/read-history.ts";
import { NO_COMMIT } from "./git/ref-change.ts";
import { type FileChange, writeCommit } from "./git/write-commit.ts";
import { moveBranch } from "./happenings/after-push.ts";
import { isRefusal, mergeCommit, openPull, setPullState } from "./happenings/change-pull.ts";
import { rerun, startRuns } from "./happenings/start-runs.ts";
import { openServer } from "./http/serve.ts";
import { APP_EVENTS, APP_PERMISSIONS, DEFAULTS, type SimulatorOptions } from "./options.ts";
import { addComment, labelNamed } from "./routes/issue-routes.ts";
import {
  type CheckRunSnapshot,
  type CommentSnapshot,
  type PullSnapshot,
  type RunSnapshot,
  snapshotBranches,
  snapshotCheckRuns,
  snapshotComment,
  snapshotPull,
  snapshotRun,
} from "./snapshots.ts";
import { type Clock, startClock } from "./state/clock.ts";
import { trackWork } from "./state/in-flight.ts";
import type { App, Delivery, PullRequest, Repository, Role, User } from "./state/nouns.ts";
import { type ForcePush, type RequestRecord, repositoryNamed, type Simulation, userNamed } from "./state/simulation.ts";
import { fairWeather, type Weather } from "./state/weather.ts";

/** GitHub Actions' own id, the same for everyone. */
const ACTIONS_APP_ID = 15_368;

/** Where the server is and how the app under test logs in. */
export interface Simulator extends People, Inspection {
  readonly appId: number;
  readonly appSlug: string;
  /** PEM; null when the public key was given. */
  readonly privateKey: string | null;
  /** `127.0.0.1:<port>`, for GHE_HOST with GHE_PROTOCOL=http. */
  readonly host: string;
  readonly apiUrl: string;
  readonly clock: Clock;
  readonly weather: Weather;
  sendWebhooksTo(url: string): void;
  /** Sends any payload as a webhook, signed. */
  deliver(event: string, payload: Readonly<Record<string, unknown>>): Delivery;
  /** The same bytes and GUID once more. Throws when no delivery has that GUID. */
  redeliver(guid: string): Delivery;
  /** A personal token, for what a person does through the API or git. */
  userToken(login: string): string;
  /** Resolves when no run and no delivery is in flight. Rejects when the simulator itself went wrong. */
  idle(): Promise<void>;
  /** Cancels what runs, closes the port, removes its files. */
  close(): Promise<void>;
}

/** What people do at GitHub. Repositories are `owner/name`; pull requests numbers; who is not named is the owner. */
export interface People {
  createRepository(wish: NewRepository): Promise<string>;
  createFork(repository: string, owner: string): Promise<string>;
  install(owner: string): number;
  addCollaborator(repository: string, user: string, role: Role): void;
  /** Commits on a branch, which is made from the default branch when missing, and pushes. The new commit's id. */
  pushCommit(
    repository: string,
    branch: string,
    files: Readonly<Record<string, FileChange>>,
    by?: Committer,
  ): Promise<string>;
  /** Makes a branch point elsewhere, with everything that follows from a push; null deletes it. */
  moveBranch(repository: string, branch: string, sha: string | null, user?: string): Promise<void>;
  /** Rejects with GitHub's reason when it would refuse. */
  openPullRequest(repository: string, wish: PullWish): Promise<number>;
  comment(repository: string, pull: number, user: string, body: string): number;
  label(repository: string, pull: number, name: string): void;
  mergePullRequest(repository: string, pull: number, user?: string): Promise<string>;
  closePullRequest(repository: string, pull: number, user?: string): Promise<void>;
  /** Starts the workflows that listen to this event (`push`, `schedule`, `workflow_dispatch`) on a branch's commit. */
  runWorkflows(repository: string, branch: string, event?: string): Promise<readonly number[]>;
  rerun(repository: string, run: number, what?: "all" | "failed"): Promise<void>;
  /** Presses a button of a check run of the app. */
  requestAction(repository: string, checkRun: number, identifier: string, user?: string): void;
}

export interface Committer {
  readonly author?: string;
  readonly message?: string;
}

export interface PullWish {
  /** `branch`, or `owner:branch` of a fork. */
  readonly head: string;
  readonly base?: string;
  readonly title?: string;
  readonly body?: string;
  readonly user?: string;
  readonly draft?: boolean;
  readonly maintainerCanModify?: boolean;
}

/** What there is now, as plain copies. */
export interface Inspection {
  pullRequests(repository: string): PullSnapshot[];
  comments(repository: string, pull: number): CommentSnapshot[];
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

/**
 * Starts a stand-in for GitHub on 127.0.0.1: REST, GraphQL and git over HTTP, workflow runs that really run, signed
 * webhooks. For tests, demos and benchmarks: it executes the workflows of its own repositories with the rights of the
 * process that started it, so no one else's code belongs in them.
 */
export async function startSimulator(options: SimulatorOptions): Promise<Simulator> {
  let simulation: Simulation | null = null;
  const { server, port } = await openServer(options.port ?? DEFAULTS.port, () => {
    if (simulation === null) throw new Error("a request came before the simulator was ready");
    return simulation;
  });
  const keys = options.appPublicKey === undefined ? makeKeys() : { publicKey: options.appPublicKey, privateKey: null };
  simulation = createSimulation(options, port, keys.publicKey);
  return { ...simulatorOf(simulation, server, keys.privateKey), ...peopleOf(simulation), ...inspectionOf(simulation) };
}

function simulatorOf(
  simulation: Simulation,
  server: Server,
  privateKey: string | null,
): Omit<Simulator, keyof People | keyof Inspection> {
  return {
    appId: simulation.app.id,
    appSlug: simulation.app.slug,
    privateKey,
    host: new URL(simulation.urls.html).host,
    apiUrl: simulation.urls.api,
    clock: simulation.clock,
    weather: simulation.weather,
    sendWebhooksTo(url) {
      simulation.webhook.url = url;
    },
    deliver: (event, payload) => deliver(simulation, event, payload, { repository: null, installation: null }),
    redeliver(guid) {
      const delivery = redeliver(simulation, guid);
      if (delivery === null) throw new Error(`no delivery has the GUID ${guid}`);
      return delivery;
    },
    userToken(login) {
      const token = `ghp_${randomUUID().replaceAll("-", "")}`;
      simulation.userTokens.set(token, userNamed(simulation, login));
      return token;
    },
    idle: simulation.work.idle,
    async close() {
      for (const { runs } of simulation.repositories.values())
        for (const run of runs) run.attempts.at(-1)?.stop.abort();
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
      await simulation.work.idle().catch(() => {}); // told by the test's own idle(), not at the end
      for (const name of ["repositories", "jobs"]) {
        await rm(path.join(simulation.folder, name), { recursive: true, force: true, maxRetries: 3 });
      }
    },
  };
}

function peopleOf(simulation: Simulation): People {
  const repositoryOf = (name: string): Repository => known(repositoryNamed(simulation, name), `repository ${name}`);
  const person = (repository: Repository, login?: string): User =>
    login === undefined ? repository.owner : userNamed(simulation, login);
  const follow = <T>(work: Promise<T>): Promise<T> => {
    simulation.work.track(work.catch(() => {})); // the caller gets the rejection
    return work;
  };
  return {
    createRepository: async (wish) => (await createRepository(simulation, wish)).fullName,
    createFork: async (name, owner) => (await createFork(simulation, repositoryOf(name), owner)).fullName,
    install: (owner) => {
      const account = userNamed(simulation, owner);
      const own = [...simulation.repositories.values()].filter((repository) => repository.owner === account);
      return install(simulation, account, own).id;
    },
    addCollaborator: (name, login, role) => {
      const user = userNamed(simulation, login);
      repositoryOf(name).collaborators.set(user.login.toLowerCase(), role);
    },
    pushCommit: (name, branch, files, by = {}) => {
      const repository = repositoryOf(name);
      return follow(pushCommit(simulation, repository, branch, files, person(repository, by.author), by.message));
    },
    moveBranch: (name, branch, sha, login) => {
      const repository = repositoryOf(name);
      return follow(moveBranch(simulation, repository, branch, sha ?? NO_COMMIT, person(repository, login)));
    },
    openPullRequest: (name, wish) => {
      const repository = repositoryOf(name);
      return follow(openPullRequest(simulation, repository, wish, person(repository, wish.user)));
    },
    comment: (name, number, login, body) => {
      const repository = repositoryOf(name);
      const by = { user: userNamed(simulation, login), byApp: false, body };
      return addComment(simulation, repository, pullOf(repository, number), by).id;
    },
    label: (name, number, label) => {
      const repository = repositoryOf(name);
      pullOf(repository, number).labels.add(labelNamed(simulation, repository, label).name);
    },
    mergePullRequest: async (name, number, login) => {
      const repository = repositoryOf(name);
      const pull = pullOf(repository, number);
      const by = person(repository, login);
      const sha = known(await mergeCommit(simulation, repository, pull, by), `way to merge pull request ${number}`);
      await follow(moveBranch(simulation, repository, pull.base.ref, sha, by));
      return sha;
    },
    closePullRequest: (name, number, login) => {
      const repository = repositoryOf(name);
      return follow(
        setPullState(simulation, repository, pullOf(repository, number), "closed", person(repository, login)),
      );
    },
    runWorkflows: (name, branch, event = "push") => follow(runWorkflows(simulation, repositoryOf(name), branch, event)),
    rerun: async (name, id, what = "all") => {
      const run = known(
        repositoryOf(name).runs.find((one) => one.id === id),
        `run ${id}`,
      );
      if (!(await follow(rerun(simulation, run, what)))) throw new Error(`the run ${id} has not ended yet`);
    },
    requestAction: (name, id, identifier, login) => {
      const repository = repositoryOf(name);
      const run = known(
        repository.checkRuns.find((one) => one.id === id && one.suite.app === simulation.app),
        `check run ${id}`,
      );
      tellCheckRun(simulation, repository, run, "requested_action", person(repository, login), {
        requested_action: { identifier },
      });
    },
  };
}

function inspectionOf(simulation: Simulation): Inspection {
  const repositoryOf = (name: string): Repository => known(repositoryNamed(simulation, name), `repository ${name}`);
  return {
    pullRequests: (name) => repositoryOf(name).pulls.map(snapshotPull),
    comments: (name, number) => pullOf(repositoryOf(name), number).comments.map(snapshotComment),
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

async function pushCommit(
  simulation: Simulation,
  repository: Repository,
  branch: string,
  files: Readonly<Record<string, FileChange>>,
  author: User,
  message = "Change files",
): Promise<string> {
  const { git, defaultBranch } = repository;
  const parent = (await resolve(git, `refs/heads/${branch}`)) ?? (await resolve(git, `refs/heads/${defaultBranch}`));
  const sha = await writeCommit(
    git,
    {
      parents: parent === null ? [] : [parent],
      files,
      message,
      author: { name: author.login, email: `${author.login}@users.noreply.github.com` },
      at: simulation.clock.now(),
    },
    simulation.folder,
  );
  await moveBranch(simulation, repository, branch, sha, author);
  return sha;
}

async function openPullRequest(
  simulation: Simulation,
  repository: Repository,
  wish: PullWish,
  user: User,
): Promise<number> {
  const [owner, branch] = wish.head.split(":");
  const isFork = owner !== undefined && branch !== undefined;
  const head = isFork
    ? known(repositoryNamed(simulation, `${owner}/${repository.name}`), `fork of ${owner}`)
    : repository;
  const pull = await openPull(simulation, repository, {
    base: wish.base ?? repository.defaultBranch,
    head: { repository: head, ref: isFork ? branch : wish.head },
    title: wish.title ?? `Merge ${wish.head}`,
    body: wish.body ?? null,
    draft: wish.draft ?? false,
    user,
    maintainerCanModify: wish.maintainerCanModify ?? true,
  });
  if (isRefusal(pull)) throw new Error(pull.message ?? `the pull request's ${pull.field} is invalid`);
  return pull.number;
}

async function runWorkflows(
  simulation: Simulation,
  repository: Repository,
  branch: string,
  event: string,
): Promise<number[]> {
  const sha = known(await resolve(repository.git, `refs/heads/${branch}`), `branch ${branch}`);
  const files = (await repository.git(["ls-tree", "-r", "--name-only", sha])).split("\n").filter((file) => file !== "");
  const runs = await startRuns(simulation, repository, {
    trigger: { event, action: null, branch, files },
    headSha: sha,
    headBranch: branch,
    headRepository: repository,
    checkoutSha: sha,
    ref: `refs/heads/${branch}`,
    pull: null,
    actor: repository.owner,
  });
  return runs.map((run) => run.id);
}

function createSimulation(options: SimulatorOptions, port: number, publicKey: string): Simulation {
  const clock = startClock();
  const queue = new PQueue({ concurrency: options.runners ?? DEFAULTS.runners });
  // Away from small numbers, so that an id is never taken for a pull request's number.
  let lastId = 10_000;
  const users = new Map<string, User>();
  const nextId = () => {
    lastId += 1;
    return lastId;
  };
  const addUser = (login: string, type: User["type"]): User => {
    const user = { id: nextId(), login, type };
    users.set(login.toLowerCase(), user);
    return user;
  };
  const slug = options.appSlug ?? DEFAULTS.appSlug;
  const app: App = {
    id: options.appId ?? DEFAULTS.appId,
    slug,
    name: slug,
    owner: addUser("app-owner", "User"),
    createdAt: clock.iso(),
    permissions: options.permissions ?? APP_PERMISSIONS,
    events: options.events ?? APP_EVENTS,
  };
  const github = addUser("github", "Organization");
  const actionsApp: App = { ...app, id: ACTIONS_APP_ID, slug: "github-actions", name: "GitHub Actions", owner: github };
  const html = `http://127.0.0.1:${port}`;
  return {
    app,
    bot: addUser(`${slug}[bot]`, "Bot"),
    actionsApp,
    publicKey: createPublicKey(publicKey),
    clock,
    nextId,
    urls: { html, api: `${html}/api/v3`, logs: `http://localhost:${port}` },
    folder: options.folder,
    toolPath: options.toolPath ?? DEFAULTS.toolPath,
    jobTimeoutMs: options.jobTimeoutMs ?? DEFAULTS.jobTimeoutMs,
    webhook: { url: options.webhookUrl ?? null, secret: options.webhookSecret },
    users,
    repositories: new Map(),
    installations: new Map(),
    tokens: new Map(),
    userTokens: new Map(),
    logLinks: new Map(),
    deliveries: [],
    requests: [],
    forcePushes: [],
    weather: fairWeather(clock.now),
    work: trackWork(),
    runners: async (job) => queue.add(job),
  };
}

function makeKeys(): { publicKey: string; privateKey: string } {
  return generateKeyPairSync("rsa", {
    modulusLength: 2048,
    publicKeyEncoding: { type: "spki", format: "pem" },
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
  });
}

function pullOf({ pulls, fullName }: Repository, number: number): PullRequest {
  return known(
    pulls.find((pull) => pull.number === number),
    `pull request ${number} in ${fullName}`,
  );
}

function known<T>(thing: T | null | undefined, what: string): T {
  if (thing === null || thing === undefined) throw new Error(`there is no ${what}`);
  return thing;
}
