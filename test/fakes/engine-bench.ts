import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { localGit } from "../../src/adapters/git/local-git.ts";
import { openAiChat } from "../../src/adapters/llm/openai-chat.ts";
import { bwrapSandbox } from "../../src/adapters/sandbox/bwrap.ts";
import { unsandboxed } from "../../src/adapters/sandbox/none.ts";
import { systemWorld } from "../../src/adapters/world.ts";
import { Budget, type BudgetLimits } from "../../src/agent/budget.ts";
import type { Workbench } from "../../src/agent/workbench.ts";
import { composeReaders } from "../../src/compose-evidence.ts";
import type { Check, CheckRun } from "../../src/domain/check.ts";
import { readCheckOutput } from "../../src/evidence/check-output.ts";
import { loadCommandFacts } from "../../src/tools/command-facts.ts";
import { runCheck } from "../../src/validate/run.ts";
import { type Script, type ScriptedModel, startScriptedModel } from "./scripted-model.ts";

const ROOT = path.join(import.meta.dirname, "../..");

export interface EngineBench {
  readonly bench: Workbench;
  readonly model: ScriptedModel;
  readonly check: Check;
  /** What the check says on the tree as it is, read by the product's own readers. */
  readonly before: CheckRun;
  /** How often the check ran since `before`. */
  readonly checksRun: () => number;
  readonly transcript: readonly Readonly<Record<string, unknown>>[];
  close(): Promise<void>;
}

export interface EngineBenchOptions {
  readonly files: Readonly<Record<string, string>>;
  readonly check: Partial<Check> & Pick<Check, "command">;
  readonly script?: Script;
  /** `modules`: no sandbox, and our own node_modules lent; else bubblewrap. */
  readonly place?: "bwrap" | "modules";
  readonly budget?: Partial<BudgetLimits>;
}

/** A bench as the pipeline makes it: real git, real sandbox, real processes, the product's readers; only the model is scripted. */
export async function openEngineBench(options: EngineBenchOptions): Promise<EngineBench> {
  const folder = mkdtempSync(path.join(tmpdir(), "engine-"));
  const world = systemWorld();
  const clone = path.join(folder, "clone");
  commitFiles(clone, { ".gitignore": "node_modules\n", ...options.files });
  const git = localGit({ world, identity: { name: "Bench", email: "bench@example.com" } });
  const copy = await git.checkout(clone, "HEAD", path.join(folder, "work"));
  const rooms = path.join(folder, "rooms");
  mkdirSync(rooms);
  const modules = options.place === "modules";
  if (modules) symlinkSync(path.join(ROOT, "node_modules"), path.join(copy.tree, "node_modules"));
  const bins = modules ? `:${path.join(ROOT, "node_modules/.bin")}` : "";
  const common = {
    searchPath: `${process.env.PATH ?? "/usr/bin:/bin"}${bins}`,
    home: process.env.HOME ?? "/",
    folder: rooms,
    setupEnv: {},
    world,
  };
  const sandbox = modules ? unsandboxed(common) : bwrapSandbox({ ...common, setupNetwork: "off" });
  const room = await sandbox.open(copy.tree);
  const model = await startScriptedModel(options.script ?? []);
  const facts = await loadCommandFacts({ paths: await copy.listFiles(), read: (file) => copy.read(copy.base, file) });
  const place = { root: copy.tree, repoFiles: new Set(await copy.listFiles()) };
  let runs = 0;
  const run = (check: Check): Promise<CheckRun> => {
    runs += 1;
    return runCheck(room, check, ({ command, cwd }, { output }) =>
      readCheckOutput(output, command, cwd, composeReaders(facts), place),
    );
  };
  const check: Check = {
    cwd: "",
    shell: null,
    env: {},
    tool: null,
    installs: false,
    validation: "v1",
    notRun: null,
    ...options.check,
  };
  const before = await run(check);
  await copy.restore(copy.base);
  runs = 0;
  const transcript: Readonly<Record<string, unknown>>[] = [];
  const limits = { usd: 3, tokens: 2_000_000, calls: 400, wallMs: 600_000, ...options.budget };
  const { monotonicMs } = world;
  return {
    bench: {
      copy,
      room,
      llm: openAiChat({
        model: "scripted",
        apiKey: "key",
        baseUrl: model.baseUrl,
        timeoutMs: 10_000,
        maxRetries: 0,
        monotonicMs,
      }),
      budget: new Budget(limits, null, monotonicMs),
      world,
      transcript: { append: async (entry) => void transcript.push(entry) },
      runCheck: run,
    },
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
