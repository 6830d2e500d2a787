import { writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ModelRequest, type Reply, startScriptedModel } from "../fakes/scripted-model.ts";
import { applyToFreshClone, makeClone, makePlace, recordLog } from "./clones.ts";
import { ensureBuilt, repairJson } from "./command-line.ts";
import { workflowOf } from "./shelves.ts";

const place = makePlace();
const RED = "export function left(shelf) {\n  const free = shelf.room + shelf.used;\n  return free;\n}\n";
const GREEN = RED.replace("room +", "room -");
const FILES = {
  "package.json": JSON.stringify({ name: "shelf", private: true, type: "module", scripts: { test: "node --test" } }),
  "src/shelf.js": RED,
  "src/shelf.test.js": `import assert from "node:assert/strict";
import { it } from "node:test";
import { left } from "./shelf.js";

it("says how much room is left", () => {
  assert.equal(left({ room: 7, used: 3 }), 4);
});
`,
  "agent.mjs": `import { writeFileSync, readFileSync } from "node:fs";
const task = readFileSync(process.argv[2], "utf8");
const asked = { model: process.env.RETRACE_MODEL, messages: [{ role: "user", content: task }] };
const answer = await fetch(process.env.OPENAI_BASE_URL + "/chat/completions", { method: "POST", body: JSON.stringify(asked) });
writeFileSync("src/shelf.js", (await answer.json()).choices[0].message.content);
`,
};
let args: readonly string[] = [];

beforeAll(async () => {
  await ensureBuilt();
  const clone = makeClone(path.join(place.folder, "shelf"), FILES);
  const [log, workflow] = [path.join(place.folder, "red.log"), path.join(place.folder, "ci.yml")];
  writeFileSync(log, recordLog(clone, [{ run: "npm test" }]));
  writeFileSync(workflow, workflowOf([{ run: "npm test" }]));
  args = ["--repo", clone, "--log", log, "--workflow", workflow];
});
afterAll(() => place.remove());

const json = (value: unknown): Reply => ({ content: JSON.stringify(value) });

/** FixAgent's roles: who marks, and who mends. */
function fixAgent(request: ModelRequest): Reply {
  const explanation = { trackedVariables: [{ name: "free", expected: "4", actual: "10" }], text: "It adds." };
  const isLocator = (request.messages[0]?.content ?? "").includes("You are the Locator");
  const marked = RED.replace("shelf.used;", "shelf.used; // buggy line");
  const diff =
    "--- a/src/shelf.js\n+++ b/src/shelf.js\n@@ @@\n-  const free = shelf.room + shelf.used;\n+  const free = shelf.room - shelf.used;\n";
  const answer = isLocator ? { marked, marks: null } : { assessment: [], diff };
  return json({ tool: null, answer, explanation });
}

/** TraceRepair: what to record, then the whole function anew. */
function traceRepair(request: ModelRequest): Reply {
  const said = request.messages.map(({ content }) => content ?? "").join("\n");
  if (said.includes("Name the functions")) return json({ functions: [{ file: "src/shelf.js", name: "left" }] });
  if (said.includes("Choose what to record")) {
    const probe = { method: "M1", kind: "value", line: 3, expression: "free", when: "before", why: "what is returned" };
    return json({ probes: [probe] });
  }
  return json({
    methods: [{ id: "M1", text: GREEN.trimEnd() }],
    repairLogic: "take away what is used",
    rationale: "the trace shows the sum",
    wrongValues: [{ traceLine: "free = 10", expected: "4" }],
  });
}

describe("the same red run", () => {
  it.each([
    ["fixagent", fixAgent, {}],
    ["tracerepair", traceRepair, {}],
    ["external", () => ({ content: GREEN }) as Reply, { RETRACE_EXTERNAL_COMMAND: "node agent.mjs {task}" }],
  ] as const)("is repaired by the engine %s, and proved by the failing step", async (engine, say, more) => {
    const model = await startScriptedModel((request) => say(request));
    try {
      const { code, outcome } = await repairJson([...args, "--engine", engine], {
        env: {
          RETRACE_DATA_DIR: place.dataDir,
          OPENAI_BASE_URL: model.baseUrl,
          OPENAI_API_KEY: "key",
          RETRACE_MODEL: "scripted",
          ...more,
        },
      });

      expect([code, outcome.ended, outcome.verdict, outcome.attempts.map((one) => one.engine)]).toEqual([
        0,
        "repaired",
        "verified",
        [engine],
      ]);
      expect(outcome.files).toEqual(["src/shelf.js"]);
      applyToFreshClone(args[1] ?? "", outcome.patch ?? "");
    } finally {
      await model.close();
    }
  });
});
