import http from "node:http";
import https from "node:https";

export interface FetchBounds {
  /** For the whole exchange, the body included. */
  readonly timeoutMs: number;
  readonly maxBodyBytes: number;
  /** A longer `retry-after` is not waited for. */
  readonly maxRetryWaitMs: number;
}

/** The error code of the answer that stands for one with a body past the bound. */
export const ANSWER_TOO_LARGE = "answer_too_large";

/**
 * A `fetch` for the model client that ends. The SDK's own time-out stops at the headers, its waits obey any
 * `retry-after`, and Node's fetch gives up after five minutes whatever it was told; here time, body and wait are bounded.
 * Redirects are not followed: the key goes to the configured host only. Rejects with an error whose message holds
 * "timed out" on the time-out (the SDK looks for these words). A body past the bound becomes an error answer that is not
 * to be retried, with ANSWER_TOO_LARGE as its code.
 */
export function boundedFetch(bounds: FetchBounds): typeof fetch {
  return async (input, init) => {
    const request = new Request(input, init);
    const body = init?.body === undefined || init.body === null ? null : Buffer.from(await request.arrayBuffer());
    const signal = AbortSignal.any([request.signal, AbortSignal.timeout(bounds.timeoutMs)]);
    try {
      return await exchange(request, body, signal, bounds);
    } catch (error) {
      if (error instanceof BodyTooLarge) return tooLarge(error.message);
      if (request.signal.aborted || !signal.aborted) throw error;
      throw new Error(`timed out after ${bounds.timeoutMs} ms`);
    }
  };
}

class BodyTooLarge extends Error {}

function tooLarge(message: string): Response {
  const error = { error: { code: ANSWER_TOO_LARGE, message } };
  return Response.json(error, { status: 502, headers: { "x-should-retry": "false" } });
}

function exchange(request: Request, body: Buffer | null, signal: AbortSignal, bounds: FetchBounds): Promise<Response> {
  const headers: Record<string, string | number> = {
    ...Object.fromEntries(request.headers),
    "accept-encoding": "identity", // a compressed body could unfold past the bound
    ...(body === null ? {} : { "content-length": body.length }),
  };
  return new Promise((resolve, reject) => {
    const send = new URL(request.url).protocol === "https:" ? https.request : http.request;
    const sent = send(request.url, { method: request.method, headers, signal }, (answer) => {
      readBody(answer, bounds.maxBodyBytes).then((text) => resolve(asResponse(answer, text, bounds)), reject);
    });
    sent.on("error", reject);
    sent.end(body ?? undefined);
  });
}

async function readBody(answer: http.IncomingMessage, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of answer) {
    bytes += chunk.length;
    if (bytes > maxBytes) {
      answer.destroy();
      throw new BodyTooLarge(`the answer is larger than ${maxBytes} bytes`);
    }
    chunks.push(chunk);
  }
  // A connection that breaks in the middle ends the loop without an error when the length was not announced.
  if (!answer.complete) throw new Error("the connection broke in the middle of the answer");
  return Buffer.concat(chunks);
}

function asResponse(answer: http.IncomingMessage, body: Buffer, bounds: FetchBounds): Response {
  const status = answer.statusCode ?? 502;
  const headers = new Headers();
  for (const [name, value] of Object.entries(answer.headers)) {
    if (value !== undefined) headers.set(name, Array.isArray(value) ? value.join(", ") : value);
  }
  if (retryWaitMs(headers) > bounds.maxRetryWaitMs) headers.set("x-should-retry", "false");
  if (status === 204 || status === 205 || status === 304) return new Response(null, { status, headers });
  return new Response(new Uint8Array(status < 400 ? body : withErrorObject(body)), { status, headers });
}

/** The SDK knows only `{"error": {"message"}}`; servers also say `{"message"}` or `{"detail"}`, and that would be lost. */
function withErrorObject(body: Buffer): Buffer {
  try {
    const parsed: unknown = JSON.parse(body.toString("utf8"));
    if (typeof parsed === "object" && parsed !== null && "error" in parsed) return body;
    return Buffer.from(JSON.stringify({ error: { message: body.toString("utf8") } }));
  } catch {
    return body;
  }
}

function retryWaitMs(headers: Headers): number {
  const ms = Number.parseFloat(headers.get("retry-after-ms") ?? "");
  if (!Number.isNaN(ms)) return ms;
  const after = headers.get("retry-after");
  if (after === null) return 0;
  const seconds = Number(after);
  // A date needs a clock to mean anything; servers of models send seconds.
  return Number.isNaN(seconds) ? Number.POSITIVE_INFINITY : seconds * 1_000;
}
