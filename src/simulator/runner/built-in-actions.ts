import { mkdir } from "node:fs/promises";
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

const VERSION_COMMANDS: Readonly<Record<string, readonly string[]>> = {
  "setup-node": ["node", "--version"],
  "setup-python": ["python3", "--version"],
  "setup-go": ["go", "version"],
  "setup-java": ["java", "-version"],
  "setup-ruby": ["ruby", "--version"],
};

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
    await git("remote", "add", "origin", page),
  ]);
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
  log.group("Checking out the ref", [
    `[command]/usr/bin/git checkout --progress --force ${wanted}`,
    await git("checkout", "--quiet", "--force", "--detach", "FETCH_HEAD"),
    `HEAD is now at ${await git("log", "-1", "--format=%h %s")}`,
  ]);
  log.lines("[command]/usr/bin/git log -1 --format=%H", await git("log", "-1", "--format=%H"));
  return true;
}

/** Tools come from the machine: the step only says which version that is. */
async function setUp(run: JobRun, uses: string, _inputs: Inputs): Promise<boolean> {
  const name = (uses.split("@")[0] ?? "").replace("actions/", "");
  const command = VERSION_COMMANDS[name];
  if (command === undefined) {
    run.log.error(`This simulated runner has no version of its own for '${uses}'.`);
    return false;
  }
  run.log.line("##[group]Environment details");
  const end = await runScript({
    command,
    cwd: run.folders.workspace,
    env: gitEnvironment(run.simulation.toolPath),
    timeoutMs: 30_000,
    signal: run.plan.signal,
    onLine: (line) => run.log.line(line),
    onStart: (group) => run.groups.push(group),
  });
  run.log.line("##[endgroup]");
  run.log.watch(MATCHERS_OF[`actions/${name}`]?.() ?? []);
  const isThere = end.ended === "exited" && end.code === 0;
  if (!isThere) run.log.error(`This simulated runner has no '${command[0]}'.`);
  return isThere;
}
