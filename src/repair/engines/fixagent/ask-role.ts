import { z } from "zod";
import { type AskParts, ask } from "../../../agent/ask.ts";
import { loadPromptTexts, renderPrompt, renderText } from "../../../agent/prompt.ts";
import { fence } from "../../../text/fence.ts";
import { type BugTools, TOOL_NAMES, type ToolName } from "./bug-tools.ts";
import type { Role } from "./roles.ts";

const CONTRACT = loadPromptTexts(import.meta.url, "contract.md");

/** What all roles share while they work on one bug. */
export interface Team {
  readonly ask: AskParts;
  readonly tools: BugTools;
  /** 0.2 in the first round, 0.8 later (papers G24). */
  readonly temperature: number;
  /** Told of every question that was asked. */
  readonly counted: () => void;
  /** Why the model gave no answer, for the outcome. */
  readonly silent: (because: "budget" | "upstream" | "format", why: string) => void;
}

export interface RoleAnswer<A> {
  readonly answer: A;
  /** The rubber-duck explanation in one paragraph. */
  readonly explanation: string;
}

/** What a role's question is about, for the tools it may ask. */
export interface Subject {
  readonly file: string;
  readonly code: string;
}

const Explanation = z.strictObject({
  trackedVariables: z
    .array(z.strictObject({ name: z.string().max(200), expected: z.string().max(400), actual: z.string().max(400) }))
    .max(20),
  text: z.string().max(2_000),
});

/**
 * Asks a role once; what it asks for is looked up and handed over first. Null when the model gave no usable answer, which
 * `Team.silent` is told. Rejects only when the signal aborts.
 */
export async function askRole<A>(
  role: Role<A>,
  holes: Readonly<Record<string, string>>,
  subject: Subject,
  team: Team,
  check: (answer: A) => readonly string[] = () => [],
): Promise<RoleAnswer<A> | null> {
  const offered = role.tools ? team.tools.offered() : [];
  const given: { readonly name: ToolName; readonly text: string }[] = [];
  for (;;) {
    const open = offered.filter((name) => !given.some((one) => one.name === name));
    const schema = answerSchema(role, open);
    team.counted();
    const said = await ask(
      {
        name: `fa.${role.name}`,
        prompt: promptOf(role, holes, open, given),
        schema,
        check: ({ tool, answer, explanation }) => {
          if (answer === null) return tool === null ? ["answer: there is none, and no tool is asked for"] : [];
          const untracked = role.tracks && explanation.trackedVariables.length === 0;
          return [...check(answer), ...(untracked ? ["explanation.trackedVariables: follow at least one value"] : [])];
        },
        temperature: team.temperature,
      },
      team.ask,
    );
    if (!said.answered) {
      team.silent(said.because, said.why);
      return null;
    }
    const { tool, answer, explanation } = said.value;
    if (answer !== null) return { answer, explanation: sayExplanation(explanation) };
    if (tool === null) return null;
    given.push({ name: tool, text: await team.tools.ask(tool, subject.file, subject.code) });
  }
}

function answerSchema<A>(role: Role<A>, open: readonly ToolName[]) {
  const tool =
    open.length === 0
      ? z.null()
      : z
          .enum(TOOL_NAMES)
          .extract([...open])
          .nullable();
  return z.strictObject({ tool, answer: role.answer.nullable(), explanation: Explanation }) as z.ZodType<{
    readonly tool: ToolName | null;
    readonly answer: A | null;
    readonly explanation: z.infer<typeof Explanation>;
  }>;
}

function promptOf<A>(
  role: Role<A>,
  holes: Readonly<Record<string, string>>,
  open: readonly ToolName[],
  given: readonly { readonly name: ToolName; readonly text: string }[],
) {
  const { system, user } = renderPrompt(role.texts, holes);
  const list = open.map((name) => renderText(CONTRACT, `tool-${name}`)).join("\n");
  const tools = open.length === 0 ? "" : `${renderText(CONTRACT, "tools", { list })}\n\n`;
  const facts = given.map(({ name, text }) => renderText(CONTRACT, "tool-given", { name, text: fence(text) }));
  return {
    system: `${system}\n\n${renderText(CONTRACT, "", { tools })}`,
    user: [user.trimEnd(), ...facts].join("\n\n"),
  };
}

function sayExplanation({ trackedVariables, text }: z.infer<typeof Explanation>): string {
  const tracked = trackedVariables.map(({ name, expected, actual }) => `${name}: expected ${expected}, is ${actual}`);
  return [text, ...tracked].join("; ");
}
