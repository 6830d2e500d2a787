import http from "node:http";
import type { AddressInfo } from "node:net";
import { z } from "zod";

const Request = z.looseObject({
  model: z.string(),
  messages: z.array(
    z.looseObject({
      role: z.enum(["system", "user", "assistant", "tool"]),
      content: z.string().nullish(),
      tool_calls: z.array(z.looseObject({ id: z.string() })).optional(),
      tool_call_id: z.string().optional(),
    }),
  ),
  tools: z
    .array(z.looseObject({ type: z.literal("function"), function: z.looseObject({ name: z.string() }) }))
    .optional(),
});
export type ModelRequest = z.infer<typeof Request>;

/** What the model does once. */
export type Reply =
  /** A command in the form the request allows: a call of the `bash` tool, or a fenced block. */
  | { readonly bash: string; readonly say?: string; readonly usage?: ReplyUsage | null }
  /** Prints the finishing mark that the prompt names. */
  | { readonly done: true; readonly usage?: ReplyUsage | null }
  | { readonly content: string | null; readonly finish?: string; readonly usage?: ReplyUsage | null }
  | {
      readonly toolCalls: readonly { readonly id?: string; readonly name: string; readonly arguments: unknown }[];
      readonly content?: string;
      readonly usage?: ReplyUsage | null;
    }
  | { readonly status: number; readonly error: unknown; readonly headers?: Readonly<Record<string, string>> }
  /** Sent as it is. */
  | { readonly raw: string; readonly contentType?: string; readonly status?: number }
  /** Never answers; `after` headers sends the head and then hangs. */
  | { readonly hang: "before-headers" | "after-headers" }
  /** Breaks the connection. */
  | { readonly drop: true };

export interface ReplyUsage {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly prompt_tokens_details?: { readonly cached_tokens: number };
}

export type Script = readonly Reply[] | ((request: ModelRequest, index: number) => Reply);

export interface ScriptedModel {
  /** With `/v1`. */
  readonly baseUrl: string;
  readonly requests: readonly ModelRequest[];
  readonly headers: readonly http.IncomingHttpHeaders[];
  close(): Promise<void>;
}

export interface ScriptedModelOptions {
  /** Answers 400 to every request with tools, as an endpoint without them does. Such a request uses up no reply. */
  readonly refuseTools?: boolean;
}

const USAGE: ReplyUsage = { prompt_tokens: 100, completion_tokens: 10 };

/** A model that speaks Chat Completions over real HTTP and says what the script says; past its end, 400. */
export async function startScriptedModel(script: Script, options: ScriptedModelOptions = {}): Promise<ScriptedModel> {
  const requests: ModelRequest[] = [];
  const headers: http.IncomingHttpHeaders[] = [];
  let asked = 0;
  const server = http.createServer(async (incoming, outgoing) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk);
    if (incoming.method !== "POST" || incoming.url !== "/v1/chat/completions") {
      return sendJson(outgoing, 404, { error: { message: `no route ${incoming.url}` } });
    }
    const read = Request.safeParse(JSON.parse(Buffer.concat(chunks).toString("utf8")));
    const complaint = read.success ? complaintAbout(read.data) : z.prettifyError(read.error);
    if (!read.success || complaint !== null) return sendJson(outgoing, 400, { error: { message: complaint } });
    requests.push(read.data);
    headers.push(incoming.headers);
    if (options.refuseTools === true && read.data.tools !== undefined) {
      return sendJson(outgoing, 400, { error: { message: "scripted does not support tools" } });
    }
    const reply = typeof script === "function" ? script(read.data, asked) : script[asked];
    asked += 1;
    answer(outgoing, reply ?? { status: 400, error: { message: "the script has ended" } }, read.data, asked);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests,
    headers,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** The finishing mark named in the conversation, "" when there is none. */
export function markOf(request: ModelRequest): string {
  const said = request.messages.map((message) => message.content ?? "").join("\n");
  return /\bRETRACE_DONE_[0-9a-f]{32}\b/.exec(said)?.[0] ?? "";
}

/** What OpenAI itself refuses: a call without its answer, an answer without its call. */
function complaintAbout(request: ModelRequest): string | null {
  let open = new Set<string>();
  for (const message of request.messages) {
    if (message.role === "tool") {
      if (!open.delete(message.tool_call_id ?? "")) return "messages with role 'tool' must follow their tool_calls";
      continue;
    }
    if (open.size > 0) break;
    open = new Set(message.tool_calls?.map((call) => call.id));
    if (message.role === "assistant" && open.size === 0 && !message.content) return "an assistant message is empty";
  }
  return open.size === 0 ? null : "an assistant message with 'tool_calls' must be followed by their answers";
}

function answer(outgoing: http.ServerResponse, reply: Reply, request: ModelRequest, number: number): void {
  if ("drop" in reply) return void outgoing.destroy();
  if ("hang" in reply) {
    if (reply.hang === "after-headers") {
      outgoing.writeHead(200, { "content-type": "application/json" });
      outgoing.write('{"choices":');
    }
    return;
  }
  if ("raw" in reply) {
    outgoing.writeHead(reply.status ?? 200, { "content-type": reply.contentType ?? "application/json" });
    return void outgoing.end(reply.raw);
  }
  if ("status" in reply) return void sendJson(outgoing, reply.status, { error: reply.error }, reply.headers);
  sendJson(outgoing, 200, completion(asMessage(reply, request, number), reply, request, number));
}

type SpokenReply = Extract<Reply, { readonly usage?: ReplyUsage | null }>;

interface SpokenMessage {
  readonly content: string | null;
  readonly calls: readonly { readonly id?: string; readonly name: string; readonly arguments: unknown }[];
}

function asMessage(reply: SpokenReply, request: ModelRequest, number: number): SpokenMessage {
  if ("content" in reply && !("toolCalls" in reply)) return { content: reply.content, calls: [] };
  if ("toolCalls" in reply) return { content: reply.content ?? null, calls: reply.toolCalls };
  const command = "done" in reply ? `echo ${markOf(request)}` : reply.bash;
  const say = "say" in reply ? reply.say : undefined;
  if (request.tools === undefined) return { content: `${say ?? "Next:"}\n\n\`\`\`bash\n${command}\n\`\`\``, calls: [] };
  return { content: say ?? null, calls: [{ id: `call_${number}`, name: "bash", arguments: { command } }] };
}

function completion(message: SpokenMessage, reply: SpokenReply, request: ModelRequest, number: number): unknown {
  const toolCalls = message.calls.map((call, index) => ({
    id: call.id ?? `call_${number}_${index}`,
    type: "function",
    function: {
      name: call.name,
      arguments: typeof call.arguments === "string" ? call.arguments : JSON.stringify(call.arguments),
    },
  }));
  const finish = "finish" in reply ? reply.finish : undefined;
  return {
    id: `chatcmpl-${number}`,
    object: "chat.completion",
    created: 1_700_000_000,
    model: request.model,
    choices: [
      {
        index: 0,
        message: {
          role: "assistant",
          content: message.content,
          refusal: null,
          ...(toolCalls.length === 0 ? {} : { tool_calls: toolCalls }),
        },
        logprobs: null,
        finish_reason: finish ?? (toolCalls.length === 0 ? "stop" : "tool_calls"),
      },
    ],
    ...(reply.usage === null ? {} : { usage: withTotal(reply.usage ?? USAGE) }),
  };
}

function withTotal(usage: ReplyUsage): unknown {
  return { ...usage, total_tokens: usage.prompt_tokens + usage.completion_tokens };
}

function sendJson(
  outgoing: http.ServerResponse,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): void {
  outgoing.writeHead(status, { "content-type": "application/json", ...headers });
  outgoing.end(JSON.stringify(body));
}
