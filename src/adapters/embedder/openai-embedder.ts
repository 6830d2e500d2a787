import { z } from "zod";
import { type Embedder, EmbedderFailed } from "../../ports/embedder.ts";
import { redact } from "../../text/redact.ts";

export interface OpenAiEmbedderOptions {
  readonly model: string;
  /** Null where the endpoint asks for none. */
  readonly apiKey: string | null;
  /** With `/v1`; null is OpenAI's own. */
  readonly baseUrl: string | null;
  /** Tokens that may be sent before it refuses; default 2,000,000. */
  readonly maxTokens?: number;
  /** Tries after the first; default 2. */
  readonly maxRetries?: number;
}

const OPENAI_URL = "https://api.openai.com/v1";
const BATCH = 64; // servers take at least that many texts in one request; a kill loses no more than that
const TIMEOUT_MS = 60_000; // a repair waits for it
const MAX_RETRIES = 2;
const MAX_RETRY_WAIT_MS = 10_000; // by words it is found at once
const MAX_BODY_BYTES = 32 * 1024 * 1024; // 64 vectors of 4,096 numbers come to a twentieth
const MOST_CHARACTERS = 8_000; // about 2,000 tokens; the smallest usual model takes 512 and cuts, others take 8,192
// As many as a repair may use (design §7): 5,000 records of 200 tokens come to half.
const MOST_TOKENS = 2_000_000;
// Fewer characters to a token than any text we send has: what is not sent cannot be too much.
const LEAST_CHARACTERS_PER_TOKEN = 2;

const Answer = z.looseObject({
  data: z.array(z.looseObject({ index: z.int().min(0), embedding: z.array(z.number()).min(1) })),
  usage: z.looseObject({ total_tokens: z.int().min(0) }).optional(),
});

/**
 * Vectors from an OpenAI-compatible endpoint. Texts are redacted and cut before they leave; what one embedder sends in all is
 * bounded. Reads no environment and writes no log; asks nothing before the first text.
 */
export function openAiEmbedder(options: OpenAiEmbedderOptions): Embedder {
  const { model, baseUrl, maxTokens = MOST_TOKENS } = options;
  let used = 0;
  const embedBatch = async (texts: readonly string[]): Promise<readonly Float32Array[]> => {
    const input = texts.map((text) => redact(text).slice(0, MOST_CHARACTERS) || " ");
    const most = input.reduce((sum, text) => sum + Math.ceil(text.length / LEAST_CHARACTERS_PER_TOKEN), 0);
    if (used + most > maxTokens) {
      throw new EmbedderFailed(
        `the embedder has used ${used} of its ${maxTokens} tokens; the rest waits for another run`,
      );
    }
    const { vectors, tokens } = await ask(options, input);
    used += tokens ?? most;
    return vectors;
  };
  return {
    id: `openai ${baseUrl ?? OPENAI_URL} ${model}`,
    batch: BATCH,
    embed: async (texts) => {
      const all: Float32Array[] = [];
      for (let at = 0; at < texts.length; at += BATCH) all.push(...(await embedBatch(texts.slice(at, at + BATCH))));
      return all;
    },
  };
}

async function ask(
  options: OpenAiEmbedderOptions,
  input: string[],
): Promise<{ readonly vectors: readonly Float32Array[]; readonly tokens: number | null }> {
  const { model, apiKey, baseUrl, maxRetries = MAX_RETRIES } = options;
  // Loaded when it is asked: the client takes longer to load than the whole memory.
  const [{ default: OpenAI }, { boundedFetch }, { asUpstreamError }] = await Promise.all([
    import("openai"),
    import("../llm/bounded-fetch.ts"),
    import("../llm/upstream.ts"),
  ]);
  const client = new OpenAI({
    apiKey: apiKey ?? "none", // the SDK refuses to start without one
    baseURL: baseUrl ?? OPENAI_URL,
    // Said outright, since the SDK would take what is not said from the environment; its log may hold whole requests.
    organization: null,
    project: null,
    logLevel: "off",
    timeout: TIMEOUT_MS + 1_000, // ours stops first: it knows the body too
    maxRetries,
    ...(apiKey === null ? { defaultHeaders: { Authorization: null } } : {}),
    fetch: boundedFetch({ timeoutMs: TIMEOUT_MS, maxBodyBytes: MAX_BODY_BYTES, maxRetryWaitMs: MAX_RETRY_WAIT_MS }),
  });
  let answer: unknown;
  try {
    // Asked for as numbers: not every server knows the SDK's own way, base64.
    answer = await client.embeddings.create({ model, input, encoding_format: "float" });
  } catch (error) {
    throw new EmbedderFailed(`the embedder failed: ${asUpstreamError(error, apiKey).message}`);
  }
  return readAnswer(answer, input.length);
}

function readAnswer(answer: unknown, count: number) {
  const read = Answer.safeParse(answer);
  if (!read.success) throw new EmbedderFailed("the embedder's answer holds no vectors");
  const { data, usage } = read.data;
  const byIndex = new Map(data.map(({ index, embedding }) => [index, Float32Array.from(embedding)]));
  const vectors = Array.from({ length: count }, (_, index) => byIndex.get(index) ?? new Float32Array());
  const [length = 0] = vectors.map((vector) => vector.length);
  if (vectors.some((vector) => vector.length !== length || length === 0)) {
    throw new EmbedderFailed(`the embedder answered ${count} texts with ${data.length} vectors, or with unequal ones`);
  }
  return { vectors, tokens: usage?.total_tokens ?? null };
}
