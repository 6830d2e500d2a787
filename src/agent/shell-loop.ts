import type { AttemptExit } from "../domain/attempt.ts";
import { type Check, type CheckRun, isSettled } from "../domain/check.ts";
import type { Usage } from "../domain/usage.ts";
import { GitFailed, type TreeId } from "../ports/git.ts";
import { type ChatAnswer, type Llm, type ToolDefinition, UpstreamError } from "../ports/llm.ts";
import { SandboxUnavailable } from "../ports/sandbox.ts";
import { redact } from "../text/redact.ts";
import type { Budget } from "./budget.ts";
import { splitCheckWord } from "./check-word.ts";
import { messageTokens, type Turn, turnMessages } from "./conversation.ts";
import { SHOWN_CHARACTERS, sayEnding, sayStanding, showOutput } from "./observation.ts";
import { loadPromptTexts, type Prompt, renderText } from "./prompt.ts";
import { type Mistake, readShellAnswer, type ShellForm } from "./shell-answer.ts";
import { redactingTranscript, type Transcript } from "./transcript.ts";
import type { Workbench } from "./workbench.ts";

export interface ShellLimits {
  readonly steps: number;
  readonly usd: number;
  readonly wallMs: number;
  readonly commandMs: number;
  /** What the model reads at most, its answer included. */
  readonly contextTokens: number;
  readonly outputTokens: number;
  /** Ends the loop once, as `idle`, when by this step nothing was edited and nothing tested; null or left out: never. */
  readonly idleSteps?: number | null;
}

/** HAFixAgent's guards: 50 steps, $1, one hour; 120 s a command as in RETRACE's agents. */
export const SHELL_LIMITS: ShellLimits = {
  steps: 50,
  usd: 1,
  wallMs: 3_600_000,
  commandMs: 120_000,
  // The smallest window among models worth asking; an endpoint with less says so itself and ends the loop likewise.
  contextTokens: 128_000,
  outputTokens: 8_192,
};

const CONTEXT_MARGIN_TOKENS = 500; // HAFixAgent's public code
const MAX_FORMAT_ERRORS = 3; // in a row; mini-swe-agent
const MAX_REJECTIONS = 2; // "not green, continue"; a model that insists a third time will not repair it
const TEMPERATURE = 0; // HAFixAgent, RETRACE

// Python's bytecode would come along as new files wherever a repository does not ignore it.
const COMMAND_ENV = { PYTHONDONTWRITEBYTECODE: "1" };

const TEXTS = loadPromptTexts(import.meta.url, "shell-loop.md");

const BASH: ToolDefinition = {
  name: "bash",
  description: "Runs one bash command at the root of the repository and returns its exit code and output.",
  parameters: {
    type: "object",
    properties: { command: { type: "string", description: "The command to run." } },
    required: ["command"],
    additionalProperties: false,
  },
};

export interface ShellTask {
  /** What to do; the loop adds how to work and how to finish. */
  readonly prompt: Prompt;
  readonly check: Check;
  /** What the check said on the tree as it is; null when it was not run. */
  readonly before: CheckRun | null;
  /** Signatures of other problems that the check may go on showing. */
  readonly otherSignatures: readonly string[];
}

export interface ShellResult {
  readonly exit: AttemptExit;
  /** One sentence for people. */
  readonly why: string;
  readonly steps: number;
  /** The tree as the loop leaves it, whatever the exit. */
  readonly tree: TreeId;
  /** Of this loop alone. */
  readonly usage: Usage;
  /** It ended at `idleSteps`: it only read. */
  readonly idle: boolean;
  /** What the check said last on the tree that is left; null when it was not run on it. */
  readonly checked: CheckRun | null;
  /** The model's last words beside a command, redacted and cut; "" when it said none. */
  readonly said: string;
}

interface End {
  readonly exit: AttemptExit;
  readonly why: string;
}

/**
 * Lets a model work on the bench's tree, one shell command a step, until it is done or a guard ends it (HAFixAgent's
 * guarded loop). `done` means that the check ran on the very tree that is left and shows nothing of the problem any more;
 * only where `check.notRun` says that it cannot run here, it means no more than that the model says so. The tree stays as
 * the model left it. Never throws for what the model or a command does.
 */
export async function runShellLoop(
  task: ShellTask,
  llm: Llm,
  bench: Workbench,
  limits: ShellLimits = SHELL_LIMITS,
): Promise<ShellResult> {
  const start = await bench.copy.snapshot();
  const loop = new ShellLoop(task, llm, bench, limits, start);
  return loop.run();
}

class ShellLoop {
  private readonly mark: string;
  private readonly budget: Budget;
  private readonly transcript: Transcript;
  private readonly turns: Turn[] = [];
  private form: ShellForm = "tools";
  private tree: TreeId;
  private changedFiles = 0;
  private checked: { readonly tree: TreeId; readonly run: CheckRun } | null;
  private contextTokens = 0;
  private steps = 0;
  private formatErrors = 0;
  private rejections = 0;
  private tested = false;
  private idle = false;
  private said = "";

  constructor(
    private readonly task: ShellTask,
    private readonly llm: Llm,
    private readonly bench: Workbench,
    private readonly limits: ShellLimits,
    private readonly start: TreeId,
  ) {
    // Text of the repository cannot know it, so it cannot end the work by printing it.
    this.mark = `RETRACE_DONE_${bench.world.nonce()}`;
    const { usd, wallMs } = limits;
    // Tokens and calls are the whole repair's to limit; here steps and dollars bind.
    this.budget = bench.budget.part({ usd, tokens: Number.POSITIVE_INFINITY, calls: Number.POSITIVE_INFINITY, wallMs });
    this.transcript = redactingTranscript(bench.transcript, bench.world);
    this.tree = start;
    this.checked = task.before === null ? null : { tree: start, run: task.before };
  }

  async run(): Promise<ShellResult> {
    await this.writePrompt();
    let end: End | null = null;
    while (end === null) end = this.guard() ?? (await this.stepSafely());
    const usage = this.budget.spent();
    await this.transcript.append({ kind: "end", ...end, steps: this.steps, tree: this.tree, usage });
    const checked = this.checked?.tree === this.tree ? this.checked.run : null;
    return { ...end, steps: this.steps, tree: this.tree, usage, idle: this.idle, checked, said: this.said };
  }

  private guard(): End | null {
    const { steps, contextTokens, outputTokens } = this.limits;
    if (this.bench.signal?.aborted) return { exit: "aborted", why: "the work was stopped" };
    if (this.steps >= steps) return { exit: "steps", why: `${steps} steps were not enough` };
    if (this.steps >= (this.limits.idleSteps ?? Number.POSITIVE_INFINITY) && !this.tested && this.tree === this.start) {
      this.idle = true;
      return { exit: "steps", why: `nothing was edited or tested in ${this.steps} steps` };
    }
    const exhausted = this.budget.exhausted();
    if (exhausted === "cost") return { exit: "cost", why: "the budget for model calls is spent" };
    if (exhausted === "time") return { exit: "time", why: "the time for this attempt is over" };
    if (this.contextTokens + outputTokens + CONTEXT_MARGIN_TOKENS > contextTokens) {
      return { exit: "context", why: "the conversation has become too long for the model" };
    }
    return null;
  }

  private async stepSafely(): Promise<End | null> {
    try {
      return await this.step();
    } catch (error) {
      if (error instanceof UpstreamError) return this.upstreamEnd(error);
      if (error instanceof SandboxUnavailable) return { exit: "not-run", why: redact(error.message) };
      if (error instanceof GitFailed) {
        return { exit: "not-run", why: redact(`the tree cannot be read any more: ${error.message}`) };
      }
      throw error;
    }
  }

  private upstreamEnd(error: UpstreamError): End {
    if (error.kind === "context") return { exit: "context", why: redact(error.message) };
    if (error.kind !== "aborted") return { exit: "upstream", why: redact(error.message) };
    if (this.bench.signal?.aborted) return { exit: "aborted", why: "the work was stopped" };
    return { exit: "time", why: "the time for this attempt is over" };
  }

  private async step(): Promise<End | null> {
    const answer = await this.ask();
    if (answer === null) return null;
    this.steps += 1;
    this.budget.charge(answer.usage);
    await this.transcript.append({ kind: "answer", step: this.steps, form: this.form, ...answer });
    const read = readShellAnswer(answer, this.form);
    if ("mistake" in read) return this.formatError(answer, read.mistake);
    this.formatErrors = 0;
    if (answer.content.trim() !== "") this.said = redact(answer.content).trim().slice(0, SAID_CHARACTERS);
    const observed = await this.act(read.command);
    if (observed.end !== null) return observed.end;
    this.tell({
      said: answer.content,
      call: read.call,
      command: read.command,
      surplus: read.surplus,
      answer: observed.text,
    });
    await this.transcript.append({ kind: "observation", step: this.steps, text: observed.text });
    return null;
  }

  /** Null when the endpoint takes no tools and has to be asked again in the other form. */
  private async ask(): Promise<ChatAnswer | null> {
    const prompt = this.prompt();
    const refusal = renderText(TEXTS, "refused-call");
    const messages = [
      { role: "system" as const, content: prompt.system },
      { role: "user" as const, content: prompt.user },
      ...turnMessages(this.turns, this.form, refusal),
    ];
    // Longer than a timer can hold is as good as no limit.
    const limit = AbortSignal.timeout(Math.min(Math.ceil(this.budget.leftMs()), 2_147_483_647));
    const request = {
      messages,
      temperature: TEMPERATURE,
      maxOutputTokens: this.limits.outputTokens,
      signal: this.bench.signal === undefined ? limit : AbortSignal.any([this.bench.signal, limit]),
      ...(this.form === "tools" ? { tools: [BASH] } : {}),
    };
    try {
      const answer = await this.llm.chat(request);
      // What the endpoint counted is truer than our estimate, where it counted more.
      if (!answer.usageEstimated) this.contextTokens = Math.max(this.contextTokens, answer.usage.inputTokens);
      return answer;
    } catch (error) {
      if (!(error instanceof UpstreamError) || error.kind !== "tools-refused" || this.form === "fenced") throw error;
      this.form = "fenced";
      await this.writePrompt();
      return null;
    }
  }

  private async formatError(answer: ChatAnswer, mistake: Mistake): Promise<End | null> {
    this.formatErrors += 1;
    await this.transcript.append({ kind: "format-error", step: this.steps, mistake });
    if (this.formatErrors >= MAX_FORMAT_ERRORS) {
      return { exit: "format", why: `the model gave no usable command ${MAX_FORMAT_ERRORS} times in a row` };
    }
    const { name, ...particulars } = mistake;
    const holes = Object.fromEntries(Object.entries(particulars).map(([key, value]) => [key, shorten(String(value))]));
    // The calls are left out: endpoints refuse a conversation that holds unknown tools or broken arguments.
    this.tell({
      said: shorten(answer.content),
      call: null,
      command: null,
      surplus: [],
      answer: renderText(TEXTS, "format-error", {
        mistake: renderText(TEXTS, `mistake-${name}`, holes),
        form: renderText(TEXTS, `form-${this.form}`),
      }),
    });
    return null;
  }

  /** Runs a command and says what a model is to be told, or how the loop ends. */
  private async act(command: string): Promise<{ readonly end: End | null; readonly text: string }> {
    const word = splitCheckWord(command);
    const script = word === null ? command : word.before;
    const seen: string[] = [];
    let failed = false;
    if (script !== "") {
      this.tested ||= isTest(script, this.task.check);
      const { room, signal } = this.bench;
      const result = await room.run({
        script,
        shell: "bash {0}", // without -e: a step that greps and finds nothing goes on
        cwd: "",
        env: COMMAND_ENV,
        network: "off",
        timeoutMs: Math.max(1_000, Math.min(this.limits.commandMs, this.budget.leftMs())),
        ...(signal === undefined ? {} : { signal }),
      });
      failed = result.exitCode !== 0;
      await this.lookAtTree();
      if (this.claims(result)) return this.judgeClaim();
      seen.push(observation(sayEnding("Command", result), showOutput(result.output, result.omittedBytes)));
      if (/retrace-check: (?:command )?not found/.test(result.output)) seen.push(renderText(TEXTS, "check-words"));
    }
    if (word !== null) seen.push(await this.checkForModel(word.onlyAfterSuccess && failed));
    return { end: null, text: [...seen, this.standing()].join("\n\n") };
  }

  private claims(result: { readonly exitCode: number | null; readonly output: string }): boolean {
    return result.exitCode === 0 && result.output.split("\n", 1)[0]?.trim() === this.mark;
  }

  /** The model says it is finished; the check, not the model, decides. */
  private async judgeClaim(): Promise<{ readonly end: End | null; readonly text: string }> {
    const changed = this.tree !== this.start;
    const { notRun } = this.task.check;
    if (notRun !== null && changed) {
      return ended("done", `the model finished its change; not verified, the check cannot be run here: ${notRun}`);
    }
    if (notRun !== null) return this.reject("nothing-changed", "");
    const shown = this.checked?.tree === this.tree ? "" : await this.runCheck();
    const run = this.checked?.run ?? null;
    if (run === null || !isSettled(run, this.task.otherSignatures)) {
      return this.reject(changed ? "not-green" : "nothing-changed", shown);
    }
    if (!changed) return ended("no-change", "the check shows nothing of the problem on the unchanged tree");
    const how = run.exitCode === 0 ? "the check passes" : "the check shows nothing of this problem any more";
    return ended("done", `${how} with the change`);
  }

  private reject(
    text: "not-green" | "nothing-changed",
    shown: string,
  ): { readonly end: End | null; readonly text: string } {
    this.rejections += 1;
    if (this.rejections > MAX_REJECTIONS) {
      const why = text === "not-green" ? "the check still fails" : "nothing was changed";
      return ended("checks", `the model called it finished ${this.rejections} times, but ${why}`);
    }
    const left = MAX_REJECTIONS + 1 - this.rejections;
    const times = left === 1 ? "once more" : `${left} more times`;
    const told = [shown, renderText(TEXTS, text, { times }), this.standing()].filter((part) => part !== "");
    return { end: null, text: told.join("\n\n") };
  }

  private async checkForModel(afterFailure: boolean): Promise<string> {
    const { notRun } = this.task.check;
    const reason = afterFailure ? "the command before it failed" : notRun;
    return reason === null ? this.runCheck() : renderText(TEXTS, "check-unavailable", { reason: redact(reason) });
  }

  /** Runs the check on the tree as it is, keeps what it said, and says it for the model. */
  private async runCheck(): Promise<string> {
    this.tested = true;
    const run = await this.bench.runCheck(this.task.check);
    // What the check itself writes (reports, caches, generated files) is no part of the repair.
    if ((await this.bench.copy.snapshot()) !== this.tree) await this.bench.copy.restore(this.tree);
    this.checked = { tree: this.tree, run };
    const { exitCode, timedOut, signatures, ms } = run;
    await this.transcript.append({
      kind: "check",
      step: this.steps,
      tree: this.tree,
      exitCode,
      timedOut,
      signatures,
      ms,
    });
    return observation(sayEnding("retrace-check", run), showOutput(run.output));
  }

  private async lookAtTree(): Promise<void> {
    const tree = await this.bench.copy.snapshot();
    if (tree === this.tree) return;
    this.tree = tree;
    this.changedFiles = (await this.bench.copy.changedFiles(this.start, tree)).length;
  }

  private standing(): string {
    const { before, otherSignatures } = this.task;
    const check = this.checked && {
      run: this.checked.run,
      current: this.checked.tree === this.tree,
      settled: isSettled(this.checked.run, otherSignatures),
    };
    const { changedFiles, steps: step } = this;
    return sayStanding({ check, before, changedFiles, step, steps: this.limits.steps });
  }

  private tell(turn: Turn): void {
    this.turns.push(turn);
    this.contextTokens += messageTokens(turnMessages([turn], this.form, renderText(TEXTS, "refused-call")));
  }

  /** Lasting parts first, this case after them, the mark that differs from run to run last: prefixes stay cached. */
  private prompt(): Prompt {
    const { prompt } = this.task;
    const shell = renderText(TEXTS, "shell", {
      seconds: String(this.limits.commandMs / 1_000),
      characters: SHOWN_CHARACTERS.toLocaleString("en"),
      steps: String(this.limits.steps),
    });
    const working = renderText(TEXTS, `working-${this.form}`, { shell });
    return { system: `${prompt.system}\n\n${working}`, user: `${redact(prompt.user)}\n\n${this.finishing()}` };
  }

  private finishing(): string {
    const { mark } = this;
    const { check, otherSignatures } = this.task;
    if (check.notRun !== null) return renderText(TEXTS, "finish-unchecked", { reason: redact(check.notRun), mark });
    const others = otherSignatures.length === 0 ? "" : ` ${renderText(TEXTS, "others")}`;
    return renderText(TEXTS, "check-and-finish", { others, mark });
  }

  private async writePrompt(): Promise<void> {
    const prompt = this.prompt();
    const { system, user } = prompt;
    this.contextTokens = messageTokens([
      { role: "system", content: system },
      { role: "user", content: user },
      ...turnMessages(this.turns, this.form, renderText(TEXTS, "refused-call")),
    ]);
    await this.transcript.append({ kind: "prompt", model: this.llm.model, form: this.form, ...prompt });
  }
}

const SAID_CHARACTERS = 600; // a thought or two, for whoever tries next

/** Whether a command runs what the check runs, or a part of it. */
function isTest(script: string, { tool, command }: Check): boolean {
  const words = [tool, command.trim().split(/\s+/).slice(0, 2).join(" ")];
  return words.some((word) => word !== null && word.length > 2 && script.includes(word));
}

function ended(exit: AttemptExit, why: string): { readonly end: End; readonly text: string } {
  return { end: { exit, why }, text: "" };
}

function observation(ending: string, output: string): string {
  return renderText(TEXTS, "observation", { ending, output });
}

const QUOTED_CHARACTERS = 2_000; // of an answer that could not be used; enough to recognize it

function shorten(text: string): string {
  return text.length <= QUOTED_CHARACTERS ? text : `${text.slice(0, QUOTED_CHARACTERS)} …`;
}
