import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Incident } from "../../src/domain/incident.ts";
import type { NewRepository } from "../../src/simulator/create-repository.ts";
import { type Simulator, startSimulator } from "../../src/simulator/simulator.ts";
import type { PullSnapshot } from "../../src/simulator/snapshots.ts";
import { type AppSettings, type RunningApp, startApp } from "./running-app.ts";

export const REPO = "acme/app";
export const TIDY = "package app\n\nfunc Double(n int) int { return 2 * n }\n";
export const UNTIDY = "package app\n\nfunc  Double( n int ) int { return 2*n }\n";

/** A workflow of one job whose steps are these commands. gofmt is the quickest check that has a fixer of its own. */
export function workflow(name: string, commands: readonly string[], on = "[push, pull_request]"): string {
  const steps = commands.map((command) => `      - run: ${command}\n`).join("");
  return `name: ${name}\non: ${on}\njobs:\n  check:\n    runs-on: ubuntu-latest\n    steps:\n      - uses: actions/checkout@v4\n${steps}`;
}

export const FORMATTING = "gofmt -l . | (! grep .)";

/** A GitHub with one repository whose formatting is checked, and the app listening to it. */
export interface AppWorld {
  readonly simulator: Simulator;
  readonly app: RunningApp;
  readonly folder: string;
  /** Pushes `files` to a branch and opens a pull request for it; its number. */
  openRed(files?: Readonly<Record<string, string>>, branch?: string): Promise<number>;
  /** Our pull requests, closed ones too. */
  ours(): readonly PullSnapshot[];
  /** Bodies of our comments on a pull request. */
  said(pull: number): readonly string[];
  /** Names of our branches. */
  branches(): Promise<readonly string[]>;
  checks(): readonly {
    readonly headSha: string;
    readonly status: string;
    readonly conclusion: string | null;
    readonly title: string | null;
    readonly summary: string | null;
  }[];
  incident(): Promise<Incident>;
  /** Another process on the same data. */
  restart(settings?: Partial<AppSettings>): Promise<RunningApp>;
  close(): Promise<void>;
}

export interface WorldSettings extends Partial<Omit<AppSettings, "simulator" | "folder">> {
  readonly files?: Readonly<Record<string, string>>;
  readonly workflows?: Readonly<Record<string, string>>;
  /** Of `.github/retrace.yml`. */
  readonly settings?: string;
  readonly repository?: Partial<NewRepository>;
}

export async function startWorld(wish: WorldSettings = {}): Promise<AppWorld> {
  const { files = {}, workflows, settings, repository, ...appSettings } = wish;
  const folder = await mkdtemp(path.join(tmpdir(), "app-world-"));
  const hub = await mkdtemp(path.join(tmpdir(), "hub-"));
  const simulator = await startSimulator({ folder: hub, webhookSecret: "secret" });
  await simulator.createRepository({
    owner: "acme",
    name: "app",
    files: { "app.go": TIDY, ...(settings === undefined ? {} : { ".github/retrace.yml": settings }), ...files },
    workflows: workflows ?? { "ci.yml": workflow("CI", [FORMATTING]) },
    ...repository,
  });
  await simulator.idle();
  let app = await startApp({ simulator, folder, ...appSettings });
  const bot = `${simulator.appSlug}[bot]`;
  return {
    simulator,
    folder,
    get app() {
      return app;
    },
    async openRed(changed = { "app.go": UNTIDY }, branch = "feature") {
      await simulator.pushCommit(REPO, branch, changed);
      return simulator.openPullRequest(REPO, { head: branch });
    },
    ours: () => simulator.pullRequests(REPO).filter((pull) => pull.user === bot),
    said: (pull) =>
      simulator
        .comments(REPO, pull)
        .filter(({ user }) => user === bot)
        .map(({ body }) => body),
    branches: async () => Object.keys(await simulator.branches(REPO)).filter((name) => name.startsWith("retrace/")),
    checks: () => simulator.checkRuns(REPO).filter((check) => check.app === simulator.appSlug),
    async incident() {
      const [newest] = await app.incidents();
      if (newest === undefined) throw new Error("there is no incident");
      return newest;
    },
    async restart(other = {}) {
      await app.close();
      app = await startApp({ simulator, folder, ...appSettings, ...other });
      return app;
    },
    async close() {
      await app.close();
      await simulator.close();
      for (const made of [folder, hub]) await rm(made, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}
