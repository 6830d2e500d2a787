import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { localGit } from "../../src/adapters/git/local-git.ts";
import { openAiChat } from "../../src/adapters/llm/openai-chat.ts";
import { unsandboxed } from "../../src/adapters/sandbox/none.ts";
import { systemWorld } from "../../src/adapters/world.ts";
import { Budget, type BudgetLimits } from "../../src/agent/budget.ts";
import type { Workbench } from "../../src/agent/workbench.ts";
import type { Check, CheckRun } from "../../src/domain/check.ts";
import type { ModelPrice } from "../../src/domain/usage.ts";
import type { Llm } from "../../src/ports/llm.ts";
import { type Script, type ScriptedModel, type ScriptedModelOptions, startScriptedModel } from "./scripted-model.ts";

export interface RepairBench {
  readonly bench: Workbench;
  readonly llm: Llm;
  readonly model: ScriptedModel;
  readonly check: Check;
  /** What the check says on the tree as it is. */
  readonly before: CheckRun;
  /** How often the check ran since `before`. */
  readonly checksRun: () => number;
  readonly transcript: readonly Readonly<Record<string, unknown>>[];
  close(): Promise<void>;
}

export interface RepairBenchOptions {
  readonly files: Readonly<Record<string, string>>;
  /** Each line `FAIL name` that it prints is a failure called by that name. */
  readonly command: string;
  readonly script: Script;
  readonly model?: ScriptedModelOptions;
  readonly price?: ModelPrice;
  readonly budget?: Partial<BudgetLimits>;
  readonly signal?: AbortSignal;
}

/** A repair's bench over real git, real processes and real HTTP; only the model behind it is scripted. */
export async function openRepairBench(options: RepairBenchOptions): Promise<RepairBench> {
  const folder = mkdtempSync(path.join(tmpdir(), "bench-"));
  const world = systemWorld();
  const clone = path.join(folder, "clone");
  commitFiles(clone, options.files);
  const git = localGit({ world, identity: { name: "Bench", email: "bench@example.com" } });
  const copy = await git.checkout(clone, "HEAD", path.join(folder, "work"));
  const roomFolder = path.join(folder, "rooms");
  mkdirSync(roomFolder);
  const sandbox = unsandboxed({
    searchPath: process.env.PATH ?? "/usr/bin:/bin",
    home: process.env.HOME ?? "/",
    folder: roomFolder,
    setupEnv: {},
    world,
  });
  const room = await sandbox.open(copy.tree);
  const model = await startScriptedModel(options.script, options.model);
  const { monotonicMs } = world;
  const llm = openAiChat({
    model: "scripted",
    apiKey: "key",
    baseUrl: model.baseUrl,
    timeoutMs: 10_000,
    maxRetries: 0,
    monotonicMs,
  });
  const transcript: Readonly<Record<string, unknown>>[] = [];
  let runs = 0;
  const runCheck = async (check: Check): Promise<CheckRun> => {
    runs += 1;
    const { command, cwd, shell, env } = check;
    const timeoutMs = 20_000;
    const ran = await room.run({ script: command, cwd, shell, env, network: "off", timeoutMs });
    const signatures = [...ran.output.matchAll(/^FAIL (.+)$/gm)].map((match) => match[1] ?? "").sort();
    return { check, exitCode: ran.exitCode, timedOut: ran.timedOut, signatures, output: ran.output, ms: ran.ms };
  };
  const check: Check = {
    command: options.command,
    cwd: "",
    shell: null,
    env: {},
    tool: null,
    installs: false,
    validation: "v1",
    notRun: null,
  };
  const before = await runCheck(check);
  await copy.restore(copy.base);
  runs = 0;
  const limits = { usd: 3, tokens: 2_000_000, calls: 400, wallMs: 60_000, ...options.budget };
  return {
    bench: {
      copy,
      room,
      llm,
      budget: new Budget(limits, options.price ?? null, monotonicMs),
      world,
      transcript: { append: async (entry) => void transcript.push(entry) },
      runCheck,
      ...(options.signal === undefined ? {} : { signal: options.signal }),
    },
    llm,
    model,
    check,
    before,
    checksRun: () => runs,
    transcript,
    close: async () => {
      await room.close();
      await model.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function commitFiles(dir: string, files: Readonly<Record<string, string>>): void {
  for (const [name, content] of Object.entries(files)) {
    const file = path.join(dir, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, content);
  }
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=Bench", "-c", "user.email=bench@example.com", ...args], {
      cwd: dir,
      stdio: "pipe",
    });
  git("init", "-q");
  git("add", "-A");
  git("commit", "-q", "-m", "first");
}
