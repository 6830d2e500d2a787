import { tmpdir } from "node:os";
import path from "node:path";
import { gitHistories } from "./adapters/git/history.ts";
import { httpGit } from "./adapters/git/remote-git.ts";
import { modelGates } from "./adapters/llm/model-gate.ts";
import { httpReferences } from "./adapters/references/http-references.ts";
import { bwrapSandbox } from "./adapters/sandbox/bwrap.ts";
import { unsandboxed } from "./adapters/sandbox/none.ts";
import { fileRunStore } from "./adapters/store/run-store.ts";
import { composeGit, composeReaders, ensureWritable } from "./compose-evidence.ts";
import { composeExperience } from "./compose-experience.ts";
import type { Config } from "./config.ts";
import { readCheckOutput } from "./evidence/check-output.ts";
import type { RepairParts } from "./pipeline/repair-run.ts";
import type { Llm } from "./ports/llm.ts";
import type { RemoteGit } from "./ports/remote-git.ts";
import { type Sandbox, SandboxUnavailable } from "./ports/sandbox.ts";
import type { World } from "./ports/world.ts";
import type { Engine } from "./repair/engine.ts";
import { autofixEngine } from "./repair/engines/autofix/engine.ts";
import { baseEngine } from "./repair/engines/base/engine.ts";
import { externalEngine } from "./repair/engines/external/engine.ts";
import { fixAgentEngine } from "./repair/engines/fixagent/engine.ts";
import { traceRepairEngine } from "./repair/engines/tracerepair/engine.ts";
import { TOOLS } from "./tools/tools.ts";

export { composeGit, composeLogSource, composeReaders, composeWorld, ensureWritable } from "./compose-evidence.ts";

export function composeRemoteGit(config: Config): RemoteGit {
  return httpGit({ path: config.searchPath, certificates: config.setupEnv });
}

/** Rejects nothing: a kind that cannot be had here says so when a room is opened. */
export function composeSandbox(config: Config, world: World): Sandbox {
  const { searchPath, home, setupEnv } = config;
  const folder = path.join(config.dataDir, "rooms");
  if (config.sandbox === "none") return unsandboxed({ searchPath, home, folder, setupEnv, world });
  if (config.sandbox === "bwrap") {
    const setupNetwork = config.setupNetwork ? "on" : "off";
    return bwrapSandbox({ searchPath, home, folder, setupEnv, setupNetwork, world });
  }
  // Fail closed: naming a sandbox we cannot make must not end in a weaker one.
  throw new SandboxUnavailable(`RETRACE_SANDBOX=${config.sandbox} is not part of this version: choose bwrap`);
}

export function composeLlm(config: Config, world: World): Llm | null {
  if (config.model === null) return null;
  const { name: model, apiKey, baseUrl, timeoutMs } = config.model;
  let client: Promise<Llm> | null = null;
  // The client library is loaded at the first question: most commands never ask one.
  const load = async (): Promise<Llm> => {
    const { openAiChat } = await import("./adapters/llm/openai-chat.ts");
    return openAiChat({ model, apiKey, baseUrl, timeoutMs, monotonicMs: () => world.monotonicMs() });
  };
  return {
    model,
    chat: async (request) => {
      client ??= load();
      return (await client).chat(request);
    },
  };
}

/** The engine `external`, where an agent and a model are configured. */
function composeExternal({ externalCommand: command, model }: Config): readonly Engine[] {
  if (command === null || model === null) return [];
  const { name, apiKey, baseUrl, timeoutMs } = model;
  // A socket's path has at most 107 bytes; the data folder may lie deep.
  return [
    externalEngine({ command, gates: modelGates({ model: name, apiKey, baseUrl, timeoutMs, folder: tmpdir() }) }),
  ];
}

/** Everything the repair pipeline runs on. Throws ConfigError when the data folder cannot be written. */
export function composeRepair(config: Config, world: World, tell: (line: string) => void): RepairParts {
  ensureWritable(config.dataDir);
  return {
    git: composeGit(config, world),
    histories: gitHistories({ path: config.searchPath }),
    sandbox: composeSandbox(config, world),
    llm: composeLlm(config, world),
    price: config.model?.price ?? null,
    runStore: fileRunStore(config.dataDir),
    openMemory: () => composeExperience(config),
    world,
    workFolder: path.join(config.dataDir, "work"),
    engines: (facts, earlierSteps) => [
      autofixEngine({ facts, tools: TOOLS, earlierSteps }),
      baseEngine(),
      fixAgentEngine(
        config.referencesUrl === null ? {} : { references: httpReferences({ url: config.referencesUrl }) },
      ),
      traceRepairEngine(),
      ...composeExternal(config),
    ],
    tools: TOOLS,
    readFailures: (facts, root, paths) => {
      const readers = composeReaders(facts);
      const place = { root, repoFiles: new Set(paths) };
      return ({ command, cwd }, { output }) => readCheckOutput(output, command, cwd, readers, place);
    },
    tell,
  };
}
