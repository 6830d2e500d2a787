import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { modelGates } from "../../../../src/adapters/llm/model-gate.ts";
import { bwrapSandbox } from "../../../../src/adapters/sandbox/bwrap.ts";
import { systemWorld } from "../../../../src/adapters/world.ts";
import { NO_CONTEXT } from "../../../../src/repair/context.ts";
import type { EngineResult } from "../../../../src/repair/engine.ts";
import { externalEngine } from "../../../../src/repair/engines/external/engine.ts";
import { openRepairBench, type RepairBench, type RepairBenchOptions } from "../../../fakes/repair-bench.ts";

/** A coding agent in a few lines: asks the model what the sum is and writes it down. */
const AGENT = `
const fs = require("node:fs");
const task = process.argv[2] ? fs.readFileSync(process.argv[2], "utf8") : fs.readFileSync(0, "utf8");
const ask = async (path, body) => {
  const answer = await fetch(process.env.OPENAI_BASE_URL + path, { method: "POST", headers: { authorization: "Bearer " + process.env.OPENAI_API_KEY }, body: JSON.stringify(body) });
  return { status: answer.status, body: await answer.json() };
};
(async () => {
  const said = await ask("/chat/completions", { model: "another", messages: [{ role: "user", content: task }] });
  if (said.status !== 200) { console.log("the model says " + said.status); process.exit(1); }
  const files = await ask("/files", {});
  let outside = "reached";
  try { await fetch("http://127.0.0.1:" + process.env.OUTSIDE_PORT); } catch { outside = "unreachable"; }
  const key = JSON.stringify(process.env).includes("a-real-key") ? "seen" : "hidden";
  fs.writeFileSync("sum.txt", said.body.choices[0].message.content);
  console.log(["files", files.status, "outside", outside, "key", key].join(" "));
})();
`;

let open: RepairBench[] = [];
let folder = "";
afterEach(async () => {
  await Promise.all(open.map((bench) => bench.close()));
  open = [];
  rmSync(folder, { recursive: true, force: true });
});

async function run(command: string, options: Partial<RepairBenchOptions> = {}): Promise<[EngineResult, RepairBench]> {
  const bench = await openRepairBench({
    files: { "sum.txt": "4", "agent.cjs": AGENT },
    command: "grep -qx 5 sum.txt",
    script: [{ content: "5", usage: { prompt_tokens: 70, completion_tokens: 3 } }],
    ...options,
  });
  open.push(bench);
  folder = mkdtempSync(path.join(tmpdir(), "gates-"));
  const gates = modelGates({
    model: "scripted",
    apiKey: "a-real-key",
    baseUrl: bench.model.baseUrl,
    timeoutMs: 5_000,
    folder,
  });
  const sandbox = bwrapSandbox({
    searchPath: process.env.PATH ?? "/usr/bin:/bin",
    home: process.env.HOME ?? "/root",
    folder: path.join(folder, "rooms"),
    setupEnv: {},
    setupNetwork: "off",
    world: systemWorld(),
  });
  const room = await sandbox.open(bench.bench.copy.tree);
  try {
    const problem = {
      id: "p1",
      title: "the sum is wrong",
      category: "assertion_error",
      tool: null,
      failures: [],
      validation: null,
      files: [],
      origin: "observed",
      order: 0,
    } as const;
    const task = {
      problem,
      failures: [],
      check: bench.check,
      before: bench.before,
      otherSignatures: [],
      context: NO_CONTEXT,
    };
    return [await externalEngine({ command, gates }).repair(task, { ...bench.bench, room }), bench];
  } finally {
    await room.close();
  }
}

describe("an external agent in the room", () => {
  it.each(["node agent.cjs {task}", "node agent.cjs"])(
    "reaches the model's endpoint and nothing else, without its key: %s",
    async (command) => {
      const [result, bench] = await run(command);

      expect(result).toMatchObject({
        exit: "done",
        steps: 1,
        why: "node: files 404 outside unreachable key hidden",
        usage: { calls: 1, inputTokens: 70, outputTokens: 3 },
      });
      expect(result.patch).toContain("+5");
      expect(bench.model.requests[0]).toMatchObject({ model: "scripted" });
      expect(bench.model.requests[0]?.messages[0]?.content).toContain("the sum is wrong");
      expect(bench.model.headers[0]?.authorization).toBe("Bearer a-real-key");
      expect(await bench.bench.copy.snapshot()).toBe(bench.bench.copy.base);
    },
  );

  it("gets no more answers once the budget is spent", async () => {
    const [result, bench] = await run("node agent.cjs {task}", { budget: { tokens: 0 } });

    expect(result).toMatchObject({ exit: "no-change", why: "it changed nothing: the model says 429", patch: null });
    expect(bench.model.requests).toEqual([]);
  });

  it("says so when it cannot be started", async () => {
    const [result] = await run("no-such-agent {task}");

    expect(result.exit).toBe("no-change");
    expect(result.why).toContain("no-such-agent: command not found");
  });
});
