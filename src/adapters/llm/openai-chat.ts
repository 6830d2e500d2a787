import OpenAI from "openai";
import type { ChatCompletionMessageParam, ChatCompletionTool } from "openai/resources/chat/completions";
import { type ChatAnswer, type ChatMessage, type ChatRequest, type Llm, UpstreamError } from "../../ports/llm.ts";
import { boundedFetch } from "./bounded-fetch.ts";
import { Completion, readCompletion } from "./chat-completion.ts";
import { asUpstreamError, oneLine, refusedPart } from "./upstream.ts";

export interface OpenAiChatOptions {
  readonly model: string;
  /** Null where the endpoint asks for none. */
  readonly apiKey: string | null;
  /** With `/v1`; null is OpenAI's own. */
  readonly baseUrl: string | null;
  /** For one request and its whole answer. */
  readonly timeoutMs: number;
  readonly monotonicMs: () => number;
  /** Tries after the first; default 3. */
  readonly maxRetries?: number;
  /** Sent along with every request as they are, e.g. `{ reasoning_effort: "medium" }`. */
  readonly extra?: Readonly<Record<string, unknown>>;
}

const OPENAI_URL = "https://api.openai.com/v1";
const MAX_RETRIES = 3; // the SDK waits 0.5 s, 1 s, 2 s between them unless the server says otherwise
const MAX_RETRY_WAIT_MS = 60_000; // a server that wants us away for longer is out of service for a repair
const MAX_BODY_BYTES = 32 * 1024 * 1024; // no answer we can use comes near

/** Newer models take only the first, older servers only the second, and some want neither at the size we ask for. */
const OUTPUT_LIMITS = ["max_completion_tokens", "max_tokens", null] as const;

/** How this endpoint wants to be asked, learned from its refusals. */
interface Dialect {
  outputLimit: number;
  temperature: boolean;
  tools: boolean;
}

/** An Llm over Chat Completions, which every compatible server has. Reads no environment and writes no log. */
export function openAiChat(options: OpenAiChatOptions): Llm {
  const client = clientOf(options);
  const dialect: Dialect = { outputLimit: 0, temperature: true, tools: true };
  return { model: options.model, chat: (request) => chat(client, options, dialect, request) };
}

function clientOf(options: OpenAiChatOptions): OpenAI {
  return new OpenAI({
    apiKey: options.apiKey ?? "none", // the SDK refuses to start without one
    baseURL: options.baseUrl ?? OPENAI_URL,
    // Said outright, since the SDK would take what is not said from the environment; its log may hold whole requests.
    organization: null,
    project: null,
    logLevel: "off",
    timeout: options.timeoutMs + 1_000, // ours stops first: it knows the body too
    maxRetries: options.maxRetries ?? MAX_RETRIES,
    ...(options.apiKey === null ? { defaultHeaders: { Authorization: null } } : {}),
    fetch: boundedFetch({
      timeoutMs: options.timeoutMs,
      maxBodyBytes: MAX_BODY_BYTES,
      maxRetryWaitMs: MAX_RETRY_WAIT_MS,
    }),
  });
}

async function chat(
  client: OpenAI,
  options: OpenAiChatOptions,
  dialect: Dialect,
  request: ChatRequest,
): Promise<ChatAnswer> {
  const startedMs = options.monotonicMs();
  const asksTools = request.tools !== undefined && request.tools.length > 0;
  for (;;) {
    if (asksTools && !dialect.tools) throw new UpstreamError("tools-refused", "the endpoint takes no tools");
    const asked = { ...dialect };
    try {
      const answer = await untilAborted(send(client, options, dialect, request), request.signal);
      return readAnswer(answer, request, options, options.monotonicMs() - startedMs);
    } catch (error) {
      // Another call may have learned meanwhile what this one was refused for.
      const learned = asked.outputLimit !== dialect.outputLimit || asked.temperature !== dialect.temperature;
      if (learned || learn(dialect, refusedPart(error, { tools: asksTools }))) continue;
      throw asUpstreamError(error, options.apiKey);
    }
  }
}

/** Whether the refusal taught us another way to ask. Each part can be given up only so often, so asking again ends. */
function learn(dialect: Dialect, refused: ReturnType<typeof refusedPart>): boolean {
  if (refused === "output-limit" && dialect.outputLimit < OUTPUT_LIMITS.length - 1) {
    dialect.outputLimit += 1;
    return true;
  }
  if (refused === "temperature" && dialect.temperature) {
    dialect.temperature = false;
    return true;
  }
  if (refused === "tools" && dialect.tools) {
    dialect.tools = false;
    return true;
  }
  return false;
}

async function send(
  client: OpenAI,
  options: OpenAiChatOptions,
  dialect: Dialect,
  request: ChatRequest,
): Promise<unknown> {
  const limit = OUTPUT_LIMITS[dialect.outputLimit];
  return client.chat.completions.create(
    {
      ...options.extra,
      model: options.model,
      messages: request.messages.map(asParam),
      stream: false,
      ...(request.tools === undefined || request.tools.length === 0 ? {} : { tools: request.tools.map(asTool) }),
      ...(dialect.temperature ? { temperature: request.temperature } : {}),
      ...(limit ? { [limit]: request.maxOutputTokens } : {}),
    },
    request.signal === undefined ? {} : { signal: request.signal },
  );
}

/** The SDK looks at the signal between its tries, not while it waits for the next. */
async function untilAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work;
  let stop: (() => void) | undefined;
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(new UpstreamError("aborted", "the call was ended by us"));
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    if (stop !== undefined) signal.removeEventListener("abort", stop);
    work.catch(() => {}); // what comes after we left is nobody's
  }
}

function readAnswer(answer: unknown, request: ChatRequest, options: OpenAiChatOptions, ms: number): ChatAnswer {
  const read = Completion.safeParse(answer);
  if (read.success) return readCompletion(read.data, request, ms);
  const shown = typeof answer === "string" ? answer : (JSON.stringify(answer) ?? "nothing");
  throw new UpstreamError(
    "nonsense",
    oneLine(`the answer is no chat completion: ${shown.slice(0, 2_000)}`, options.apiKey),
  );
}

function asParam(message: ChatMessage): ChatCompletionMessageParam {
  switch (message.role) {
    case "system":
    case "user":
      return { role: message.role, content: message.content };
    case "tool":
      return { role: "tool", tool_call_id: message.toolCallId, content: message.content };
    case "assistant":
      return {
        role: "assistant",
        content: message.content,
        ...(message.toolCalls.length === 0 ? {} : { tool_calls: message.toolCalls.map(asCall) }),
      };
  }
}

function asCall(call: { readonly id: string; readonly name: string; readonly arguments: string }) {
  return { id: call.id, type: "function" as const, function: { name: call.name, arguments: call.arguments } };
}

function asTool(tool: { name: string; description: string; parameters: Record<string, unknown> }): ChatCompletionTool {
  return { type: "function", function: tool };
}
