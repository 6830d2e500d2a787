import { z } from "zod";
import type { ChatAnswer, ChatRequest, ToolCall } from "../../ports/llm.ts";
import { countTokens } from "../../text/tokens.ts";

// No answer we can use is longer: 8,192 output tokens are some 40,000 characters.
const MAX_CONTENT_CHARACTERS = 200_000;
const MAX_TOOL_CALLS = 32;

const Text = z.union([
  z.string(),
  // Some servers answer with parts, as requests may have them.
  z
    .array(z.object({ text: z.string().optional() }))
    .transform((parts) => parts.map((part) => part.text ?? "").join("")),
]);

const Arguments = z.union([z.string(), z.unknown().transform((value) => JSON.stringify(value ?? {}))]);

const Call = z.union([
  z.object({ id: z.string().nullish(), function: z.object({ name: z.string(), arguments: Arguments }) }),
  z
    .object({ id: z.string().nullish(), custom: z.object({ name: z.string(), input: z.string() }) })
    .transform(({ id, custom }) => ({ id, function: { name: custom.name, arguments: custom.input } })),
]);

const Count = z.number().int().nonnegative();

const ReportedUsage = z.object({
  prompt_tokens: Count,
  completion_tokens: Count,
  prompt_tokens_details: z
    .object({ cached_tokens: Count.nullish().catch(null) })
    .nullish()
    .catch(null),
});

/** A chat completion, as much of it as we use. */
export const Completion = z.object({
  choices: z
    .array(
      z.object({
        message: z.object({
          content: Text.nullish(),
          refusal: z.string().nullish().catch(null),
          tool_calls: z.array(z.unknown()).nullish().catch(null),
        }),
        finish_reason: z.string().nullish().catch(null),
      }),
    )
    .min(1),
  usage: ReportedUsage.nullish().catch(null),
});
export type Completion = z.infer<typeof Completion>;

/** The first choice as our answer. `request` is what was asked, for counting where the endpoint reports no usage. */
export function readCompletion(completion: Completion, request: ChatRequest, ms: number): ChatAnswer {
  const choice = completion.choices[0];
  const message = choice?.message;
  const said = message?.content || message?.refusal || "";
  const content = said.slice(0, MAX_CONTENT_CHARACTERS);
  const calls = (message?.tool_calls ?? []).slice(0, MAX_TOOL_CALLS);
  const toolCalls = withIds(calls.map(readCall));
  const cut = said.length > content.length || toolCalls.some((call) => call.arguments.length >= MAX_CONTENT_CHARACTERS);
  const reported = completion.usage;
  return {
    content,
    toolCalls,
    finish: cut ? "length" : finishOf(choice?.finish_reason ?? null, toolCalls.length > 0),
    usage: {
      calls: 1,
      inputTokens: reported?.prompt_tokens ?? countRequest(request),
      cachedTokens: Math.min(reported?.prompt_tokens_details?.cached_tokens ?? 0, reported?.prompt_tokens ?? 0),
      outputTokens:
        reported?.completion_tokens ??
        countTokens(said) + countTokens(toolCalls.map((call) => call.name + call.arguments).join(" ")),
      usd: null,
      ms,
    },
    usageEstimated: !reported,
  };
}

/** A call we cannot read keeps its place, so that the model can be told. */
function readCall(call: unknown): Omit<ToolCall, "id"> & { readonly id: string | null } {
  const read = Call.safeParse(call);
  if (!read.success)
    return { id: null, name: "", arguments: JSON.stringify(call ?? null).slice(0, MAX_CONTENT_CHARACTERS) };
  const { id, function: called } = read.data;
  return { id: id ?? null, name: called.name, arguments: called.arguments.slice(0, MAX_CONTENT_CHARACTERS) };
}

function withIds(calls: readonly ReturnType<typeof readCall>[]): ToolCall[] {
  const taken = new Set<string>();
  return calls.map((call, index) => {
    const id = call.id && !taken.has(call.id) ? call.id : `call_${index}`;
    taken.add(id);
    return { ...call, id };
  });
}

const FINISHES: Readonly<Record<string, ChatAnswer["finish"]>> = {
  stop: "stop",
  length: "length",
  tool_calls: "tool_calls",
  function_call: "tool_calls",
};

function finishOf(reason: string | null, hasCalls: boolean): ChatAnswer["finish"] {
  if (reason === null) return hasCalls ? "tool_calls" : "stop";
  return FINISHES[reason] ?? "other";
}

function countRequest(request: ChatRequest): number {
  const said = request.messages.map((message) => {
    const calls =
      message.role === "assistant" ? message.toolCalls.map((call) => call.name + call.arguments).join(" ") : "";
    return `${message.content ?? ""}${calls}`;
  });
  // Each message costs a few tokens for its role and its ends.
  const tools = request.tools === undefined ? 0 : countTokens(JSON.stringify(request.tools));
  return said.reduce((sum, text) => sum + countTokens(text) + 4, tools);
}
