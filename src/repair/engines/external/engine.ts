import { loadPromptTexts, renderText } from "../../../agent/prompt.ts";
import type { Workbench } from "../../../agent/workbench.ts";
import { NO_USAGE } from "../../../domain/usage.ts";
import type { ModelGates } from "../../../ports/model-gate.ts";
import { type SandboxResult, SandboxUnavailable } from "../../../ports/sandbox.ts";
import { elide } from "../../../text/elide.ts";
import { redact } from "../../../text/redact.ts";
import type { Engine, EngineResult, RepairTask } from "../../engine.ts";
import { basePrompt } from "../base/base-prompt.ts";

export interface ExternalOptions {
  /**
   * The agent's command line as a shell reads it. `{task}` is replaced by the path of a file that says what to do; without it
   * the task comes on standard input.
   */
  readonly command: string;
  readonly gates: ModelGates;
}

const WALL_MS = 3_600_000; // RETRACE's Codex arm: 3,600 s for a problem
// It travels in the environment, of which one variable may hold 128 KiB.
const TASK_ENDS = { head: 80_000, tail: 20_000 };
const TEXTS = loadPromptTexts(import.meta.url, "external.md");

/**
 * Any headless coding agent, in the room: no network, no key, its only way out a socket that leads to the model's endpoint
 * and nowhere else. What it leaves in the tree is its patch; whether it helps is judged as for any engine.
 */
export function externalEngine(options: ExternalOptions): Engine {
  return { name: "external", needsModel: true, repair: (task, bench) => repair(task, bench, options) };
}

async function repair(task: RepairTask, bench: Workbench, options: ExternalOptions): Promise<EngineResult> {
  if (bench.llm === null)
    return { exit: "not-run", why: "no model configured", patch: null, steps: 0, usage: NO_USAGE };
  const { copy } = bench;
  const budget = bench.budget.part({ usd: 1, tokens: 4_000_000, calls: 400, wallMs: WALL_MS }); // papers §12.4, §14
  const start = await copy.snapshot();
  let calls = 0;
  const gate = await options.gates.open({
    refusal: () => (budget.exhausted() === null ? null : "the budget of this repair is spent"),
    charge: (usage) => {
      calls += 1;
      budget.charge(usage);
    },
  });
  try {
    const ran = await launch(task, bench, options.command, gate.socket, gate.model, budget.leftMs());
    await bench.transcript.append({ external: options.command, exitCode: ran.exitCode, output: ran.output });
    bench.signal?.throwIfAborted();
    const patch = await copy.diff(start, await copy.snapshot());
    const spent = { steps: calls, usage: budget.spent() };
    const said = lastLine(ran.output);
    if (ran.timedOut) return { ...spent, exit: "time", why: "it did not end in time", patch: patch || null };
    if (patch === "") return { ...spent, exit: "no-change", why: `it changed nothing: ${said}`, patch: null };
    return { ...spent, exit: "done", why: `${programOf(options.command)}: ${said}`, patch };
  } catch (error) {
    if (!(error instanceof SandboxUnavailable)) throw error;
    return { exit: "not-run", why: error.message, patch: null, steps: calls, usage: budget.spent() };
  } finally {
    await gate.close();
    await copy.restore(start);
  }
}

/** Listens inside and leads every connection to the door: agents speak TCP. */
const FORWARDER = `const net=require("node:net");net.createServer((near)=>{const far=net.connect(process.argv[1]);near.pipe(far);far.pipe(near);near.on("error",()=>far.destroy());far.on("error",()=>near.destroy());}).listen(0,"127.0.0.1",function(){console.log(this.address().port)})`;

async function launch(
  task: RepairTask,
  bench: Workbench,
  command: string,
  socket: string,
  model: string,
  timeoutMs: number,
): Promise<SandboxResult> {
  const prompt = basePrompt(task);
  const words = renderText(TEXTS, "", { task: elide(prompt.user, TASK_ENDS) });
  const named = command.includes("{task}");
  const agent = named ? command.replaceAll("{task}", '"$RETRACE_TASK"') : `${command} < "$RETRACE_TASK"`;
  const script = [
    'work="$(mktemp -d)"; export RETRACE_TASK="$work/task.md"',
    'printf "%s" "$RETRACE_TASK_TEXT" > "$RETRACE_TASK"; unset RETRACE_TASK_TEXT',
    'node -e "$RETRACE_FORWARDER" "$RETRACE_DOOR" > "$work/port" & forwarder=$!',
    'for _ in $(seq 100); do [ -s "$work/port" ] && break; sleep 0.1; done',
    'export OPENAI_BASE_URL="http://127.0.0.1:$(cat "$work/port")/v1" OPENAI_API_KEY=none; unset RETRACE_FORWARDER',
    `${agent}; code=$?`,
    'kill "$forwarder" 2>/dev/null; rm -rf "$work"; exit "$code"',
  ].join("\n");
  return bench.room.run({
    script,
    shell: "bash {0}",
    cwd: "",
    env: { RETRACE_TASK_TEXT: words, RETRACE_FORWARDER: FORWARDER, RETRACE_MODEL: model, OPENAI_MODEL: model },
    network: "off",
    timeoutMs: Math.min(timeoutMs, WALL_MS),
    door: socket,
    ...(bench.signal === undefined ? {} : { signal: bench.signal }),
  });
}

const WORD_CHARACTERS = 300;

function lastLine(output: string): string {
  const line = redact(output).trim().split("\n").at(-1)?.trim() ?? "";
  return line === "" ? "it said nothing" : line.slice(0, WORD_CHARACTERS);
}

function programOf(command: string): string {
  return command.trim().split(/\s+/)[0] ?? "";
}
