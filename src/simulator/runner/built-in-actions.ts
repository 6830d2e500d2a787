import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { gitEnvironment, runGit } from "../git/run-git.ts";
import { repositoryPage } from "../present/present-repository.ts";
import type { JobRun } from "./job-context.ts";
import { MATCHERS_OF } from "./problem-matchers.ts";
import { runScript } from "./run-script.ts";

/** The inputs of a `uses:` step, with expressions resolved. */
export type Inputs = Readonly<Record<string, string>>;
type BuiltIn = (run: JobRun, uses: string, inputs: Inputs) => Promise<boolean>;

/** The actions this runner knows, by the name before the `@`; they answer whether they succeeded. */
const BUILT_INS: readonly { readonly uses: RegExp; readonly act: BuiltIn }[] = [
  { uses: /^actions\/checkout$/, act: checkOut },
  { uses: /^actions\/setup-[a-z]+$/, act: setUp },
];

interface Setup {
  readonly command: readonly string[];
  /** The log's lines for what the command said. */
  readonly says: (version: string) => readonly string[];
  /** Names that the real action brings and this machine may lack: scripts by name. */
  readonly brings?: Readonly<Record<string, string>>;
}

const SETUPS: Readonly<Record<string, Setup>> = {
  "setup-node": {
    command: ["node", "--version"],
    says: (version) => ["##[group]Environment details", `node: ${version}`, "##[endgroup]"],
  },
  "setup-python": {
    command: ["python3", "--version"],
    says: (version) => [
      "##[group]Installed versions",
      `Successfully set up CPython (${version.replace("Python ", "")})`,
      "##[endgroup]",
    ],
    brings: { python: 'exec python3 "$@"', pip: 'exec python3 -m pip "$@"' },
  },
  "setup-go": { command: ["go", "version"], says: (version) => [version] },
  "setup-java": { command: ["java", "-version"], says: (version) => [version] },
  "setup-ruby": { command: ["ruby", "--version"], says: (version) => [version] },
};

/** Inputs that the log shows although nobody gave them: the actions' own defaults. */
const SHOWN_DEFAULTS: Readonly<Record<string, (run: JobRun) => Inputs>> = {
  "actions/checkout": ({ run }) => ({
    repository: run.repository.fullName,
    token: "***",
    "persist-credentials": "true",
    clean: "true",
    "fetch-depth": "1",
  }),
};

/** The inputs of an action as its log shows them. */
export function shownInputs(run: JobRun, uses: string, inputs: Inputs): Inputs {
  return { ...SHOWN_DEFAULTS[uses.split("@")[0] ?? ""]?.(run), ...inputs };
}

/** Runs a `uses:` step; false after a message in the log when it failed or is not known here. */
export async function runBuiltIn(run: JobRun, uses: string, inputs: Inputs): Promise<boolean> {
  const name = uses.split("@")[0] ?? "";
  const known = BUILT_INS.find((action) => action.uses.test(name));
  if (known !== undefined) return known.act(run, uses, inputs);
  run.log.error(
    `This simulated runner cannot run the action '${uses}': it knows actions/checkout and actions/setup-*.`,
  );
  return false;
}

/** A real, detached checkout; the network part is a fetch from the bare repository on disk. */
async function checkOut({ simulation, run, folders, log }: JobRun, _uses: string, inputs: Inputs): Promise<boolean> {
  const { repository } = run;
  const asked = inputs.repository ?? repository.fullName;
  const source = simulation.repositories.get(asked.toLowerCase());
  if (source === undefined) {
    log.error(`fatal: repository '${simulation.urls.html}/${asked}/' not found`);
    return false;
  }
  const target = path.join(folders.workspace, inputs.path ?? "");
  const page = repositoryPage(simulation, source);
  const wanted = inputs.ref || (source === repository ? run.checkoutSha : source.defaultBranch);
  const git = async (...args: string[]) => (await runGit(target, simulation.toolPath, args)).toString("utf8").trim();
  await mkdir(target, { recursive: true });

  log.line(`Syncing repository: ${source.fullName}`);
  log.group("Getting Git version info", [
    `Working directory is '${target}'`,
    "[command]/usr/bin/git version",
    await git("version"),
  ]);
  log.group("Initializing the repository", [
    `[command]/usr/bin/git init ${target}`,
    await git("init", "--quiet", ".").then(() => `Initialized empty Git repository in ${target}/.git/`),
    `[command]/usr/bin/git remote add origin ${page}`,
  ]);
  await git("remote", "add", "origin", page);
  const depth = inputs["fetch-depth"] === "0" ? [] : [`--depth=${inputs["fetch-depth"] ?? "1"}`];
  const place = run.ref.replace(/^refs\/(heads\/)?/, "");
  log.group("Fetching the repository", [
    `[command]/usr/bin/git -c protocol.version=2 fetch --no-tags --prune --no-recurse-submodules ${[...depth, "origin"].join(" ")} +${wanted}:refs/remotes/${place}`,
    `From ${page}`,
    ` * [new ref]         ${wanted} -> ${place}`,
  ]);
  try {
    await git("fetch", "--quiet", "--no-tags", ...depth, `file://${source.folder}`, wanted);
    if (depth.length === 0)
      await git("fetch", "--quiet", `file://${source.folder}`, "+refs/heads/*:refs/remotes/origin/*");
  } catch {
    log.error(`fatal: couldn't find remote ref ${wanted}`);
    log.error("The process '/usr/bin/git' failed with exit code 128");
    return false;
  }
  await git("checkout", "--quiet", "--force", "--detach", "FETCH_HEAD");
  log.group("Checking out the ref", [
    `[command]/usr/bin/git checkout --progress --force ${wanted}`,
    `HEAD is now at ${await git("log", "-1", "--format=%h %s")}`,
  ]);
  log.lines("[command]/usr/bin/git log -1 --format=%H", await git("log", "-1", "--format=%H"));
  return true;
}

/** Tools come from the machine: the step only says which version that is. */
async function setUp(run: JobRun, uses: string, _inputs: Inputs): Promise<boolean> {
  const name = (uses.split("@")[0] ?? "").replace("actions/", "");
  const setup = SETUPS[name];
  if (setup === undefined) {
    run.log.error(`This simulated runner has no version of its own for '${uses}'.`);
    return false;
  }
  const said: string[] = [];
  const end = await runScript({
    command: setup.command,
    cwd: run.folders.workspace,
    env: gitEnvironment(run.simulation.toolPath),
    timeoutMs: 30_000,
    signal: run.plan.signal,
    onLine: (line) => said.push(line),
    onStart: (group) => run.groups.push(group),
  });
  if (end.ended !== "exited" || end.code !== 0) {
    run.log.error(`This simulated runner has no '${setup.command[0]}'.`);
    return false;
  }
  run.log.lines(...setup.says(said[0] ?? ""));
  run.log.watch(MATCHERS_OF[`actions/${name}`]?.() ?? []);
  await bring(run, setup.brings ?? {});
  return true;
}

async function bring({ folders, addedPaths }: JobRun, scripts: Readonly<Record<string, string>>): Promise<void> {
  if (Object.keys(scripts).length === 0) return;
  const tools = path.join(folders.root, "tools");
  await mkdir(tools, { recursive: true });
  for (const [name, line] of Object.entries(scripts)) {
    await writeFile(path.join(tools, name), `#!/bin/sh\n${line}\n`, { mode: 0o755 });
  }
  if (!addedPaths.includes(tools)) addedPaths.unshift(tools);
}
