import { mkdtemp, rm } from "node:fs/promises";
import http from "node:http";
import path from "node:path";
import { Readable } from "node:stream";
import { z } from "zod";
import type { Usage } from "../../domain/usage.ts";
import type { GateWatch, ModelGate, ModelGates } from "../../ports/model-gate.ts";
import { redact } from "../../text/redact.ts";
import { countTokens } from "../../text/tokens.ts";

export interface ModelGateOptions {
  readonly model: string;
  readonly apiKey: string | null;
  /** With `/v1`; null is OpenAI's own. */
  readonly baseUrl: string | null;
  readonly timeoutMs: number;
  /** Where sockets are made; short, for a socket's path has at most 107 bytes. */
  readonly folder: string;
}

const OPENAI_URL = "https://api.openai.com/v1";
const MAX_REQUEST_BYTES = 16 * 1024 * 1024; // four times the longest context there is
/** What agents ask of an endpoint; nothing that uploads, fine-tunes or administers. */
const PATHS: Readonly<Record<string, string>> = {
  "/v1/chat/completions": "POST",
  "/v1/responses": "POST",
  "/v1/models": "GET",
};

/**
 * Gates to one endpoint: requests are redacted on their way, get the key only here, and are held to the model and to what
 * may be spent. Anything else is refused in the endpoint's own form.
 */
export function modelGates(options: ModelGateOptions): ModelGates {
  return { open: (watch) => openGate(options, watch) };
}

async function openGate(options: ModelGateOptions, watch: GateWatch): Promise<ModelGate> {
  const folder = await mkdtemp(path.join(options.folder, "gate-"));
  const socket = path.join(folder, "s");
  const server = http.createServer((incoming, outgoing) => {
    pass(incoming, outgoing, options, watch).catch((error: Error) => refuse(outgoing, 502, error.message));
  });
  try {
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen(socket, resolve);
    });
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
  return {
    socket,
    model: options.model,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function pass(
  incoming: http.IncomingMessage,
  outgoing: http.ServerResponse,
  options: ModelGateOptions,
  watch: GateWatch,
): Promise<void> {
  const wanted = (incoming.url ?? "").split("?")[0] ?? "";
  if (PATHS[wanted] === undefined || PATHS[wanted] !== incoming.method)
    return refuse(outgoing, 404, `no ${wanted} here`);
  const refusal = watch.refusal();
  if (refusal !== null) return refuse(outgoing, 429, refusal);
  const body = await readBody(incoming);
  if (body === null) return refuse(outgoing, 413, "the request is too large");
  const asked = incoming.method === "POST" ? readRequest(body, options.model) : "";
  if (asked === null) return refuse(outgoing, 400, "the request is no JSON object");
  const answer = await fetch(`${options.baseUrl ?? OPENAI_URL}${wanted.slice("/v1".length)}`, {
    method: incoming.method,
    headers: {
      "content-type": "application/json",
      ...(options.apiKey === null ? {} : { authorization: `Bearer ${options.apiKey}` }),
    },
    ...(asked === "" ? {} : { body: asked }),
    signal: AbortSignal.timeout(options.timeoutMs),
  });
  outgoing.writeHead(answer.status, { "content-type": answer.headers.get("content-type") ?? "application/json" });
  let text = "";
  if (answer.body !== null) {
    for await (const chunk of Readable.fromWeb(answer.body as never)) {
      const part = Buffer.from(chunk as Uint8Array);
      text += part.toString("utf8");
      outgoing.write(part);
    }
  }
  outgoing.end();
  if (answer.ok && incoming.method === "POST") watch.charge(usageOf(text, asked));
}

async function readBody(incoming: http.IncomingMessage): Promise<string | null> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_REQUEST_BYTES) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

/** The request with every text redacted and the model that is paid for; null when it is no JSON object. */
function readRequest(body: string, model: string): string | null {
  try {
    const read = z.record(z.string(), z.unknown()).safeParse(JSON.parse(body));
    if (!read.success) return null;
    // A stream tells what it used only when it is asked to.
    const stream = read.data.stream === true && Array.isArray(read.data.messages);
    const usage = stream ? { stream_options: { include_usage: true } } : {};
    return JSON.stringify({ ...(redactDeep(read.data) as object), ...usage, model });
  } catch {
    return null;
  }
}

function redactDeep(value: unknown): unknown {
  if (typeof value === "string") return redact(value);
  if (Array.isArray(value)) return value.map(redactDeep);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, redactDeep(inner)]));
}

const Tokens = z.object({
  prompt_tokens: z.number().optional(),
  completion_tokens: z.number().optional(),
  input_tokens: z.number().optional(),
  output_tokens: z.number().optional(),
  prompt_tokens_details: z.object({ cached_tokens: z.number().optional() }).nullish(),
  input_tokens_details: z.object({ cached_tokens: z.number().optional() }).nullish(),
});

/** What a call used: as the answer says, at its end where it was streamed; counted here where it says nothing. */
function usageOf(answer: string, asked: string): Usage {
  const told = [...answer.matchAll(/"usage"\s*:\s*(\{(?:[^{}]|\{[^{}]*\})*\})/g)].at(-1)?.[1];
  const read = told === undefined ? null : Tokens.safeParse(parsed(told));
  const tokens = read?.success ? read.data : {};
  return {
    calls: 1,
    inputTokens: tokens.prompt_tokens ?? tokens.input_tokens ?? countTokens(asked),
    cachedTokens: tokens.prompt_tokens_details?.cached_tokens ?? tokens.input_tokens_details?.cached_tokens ?? 0,
    outputTokens: tokens.completion_tokens ?? tokens.output_tokens ?? countTokens(answer),
    usd: null,
    ms: 0,
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function refuse(outgoing: http.ServerResponse, status: number, message: string): void {
  if (outgoing.headersSent) return void outgoing.destroy();
  outgoing.writeHead(status, { "content-type": "application/json" });
  outgoing.end(JSON.stringify({ error: { message: redact(message), type: "retrace_gate" } }));
}
