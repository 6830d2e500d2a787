import http from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { openAiEmbedder } from "../../../src/adapters/embedder/openai-embedder.ts";
import { EmbedderFailed } from "../../../src/ports/embedder.ts";

interface Asked {
  readonly model: string;
  readonly input: readonly string[];
  readonly encoding_format: string;
}

const servers: http.Server[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    await new Promise((done) => server.close(done));
  }
});

type Answer = (asked: Asked) => { readonly status?: number; readonly body: unknown };

/** A real server that speaks the protocol; `asked` holds what came. */
async function endpoint(answer: Answer) {
  const asked: (Asked & { readonly authorization: string | undefined })[] = [];
  const server = http.createServer(async (request, response) => {
    let text = "";
    for await (const chunk of request) text += chunk;
    const body = JSON.parse(text) as Asked;
    asked.push({ ...body, authorization: request.headers.authorization });
    const { status = 200, body: told } = answer(body);
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(told));
  });
  servers.push(server);
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  return { asked, baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1` };
}

/** Each text by its length and its place; told backwards, since places are said. */
const byLength: Answer = ({ input }) => ({
  body: {
    object: "list",
    data: input.map((text, index) => ({ object: "embedding", index, embedding: [text.length, index] })).reverse(),
    usage: { prompt_tokens: 4, total_tokens: 4 },
  },
});

describe("an OpenAI-compatible embedder", () => {
  it("asks in batches, and answers in the order of the texts", async () => {
    const { asked, baseUrl } = await endpoint(byLength);
    const embedder = openAiEmbedder({ model: "small", apiKey: "sk-test", baseUrl });
    const texts = Array.from({ length: 70 }, (_, at) => "x".repeat(at + 1));

    const vectors = await embedder.embed(texts);

    expect(vectors.map(([length]) => length)).toEqual(texts.map((text) => text.length));
    expect(asked.map(({ input, ...rest }) => ({ ...rest, texts: input.length }))).toEqual([
      { model: "small", encoding_format: "float", authorization: "Bearer sk-test", texts: 64 },
      { model: "small", encoding_format: "float", authorization: "Bearer sk-test", texts: 6 },
    ]);
    expect(embedder.id).toBe(`openai ${baseUrl} small`);
  });

  it("sends no secret, no more than a few pages, and no key where there is none", async () => {
    const { asked, baseUrl } = await endpoint(byLength);
    const token = `ghp_${"a1B2".repeat(9)}`;

    await openAiEmbedder({ model: "small", apiKey: null, baseUrl }).embed([
      `token ${token} in the log`,
      "y".repeat(9_000),
      "",
    ]);

    expect(asked.map(({ input, authorization }) => [input[0], input[1]?.length, input[2], authorization])).toEqual([
      ["token [redacted:github-token] in the log", 8_000, " ", undefined],
    ]);
  });

  it("stops before it sends more than its budget", async () => {
    const { asked, baseUrl } = await endpoint(byLength);
    const embedder = openAiEmbedder({ model: "small", apiKey: null, baseUrl, maxTokens: 12 });
    await embedder.embed(["a text of 20 letters"]);

    await expect(embedder.embed(["a text of 20 letters"])).rejects.toThrow(
      new EmbedderFailed("the embedder has used 4 of its 12 tokens; the rest waits for another run"),
    );
    expect(asked.length).toBe(1);
  });

  it.each<readonly [string, Answer, RegExp]>([
    [
      "refuses",
      () => ({ status: 401, body: { error: { message: "bad key sk-test" } } }),
      /^the embedder failed: (?!.*sk-test)/,
    ],
    ["is broken", () => ({ status: 500, body: {} }), /^the embedder failed: /],
    ["says something else", () => ({ body: { hello: "there" } }), /^the embedder's answer holds no vectors$/],
    ["leaves a text out", () => ({ body: { data: [{ index: 0, embedding: [1, 0] }] } }), /2 texts with 1 vectors/],
    [
      "gives unequal vectors",
      () => ({ body: { data: [1, 2].map((length, index) => ({ index, embedding: Array(length).fill(1) })) } }),
      /unequal ones$/,
    ],
  ])("that %s is one clear failure", async (_, answer, said) => {
    const { baseUrl } = await endpoint(answer);
    const failed = openAiEmbedder({ model: "small", apiKey: "sk-test", baseUrl, maxRetries: 0 }).embed(["one", "two"]);

    await expect(failed).rejects.toThrow(EmbedderFailed);
    await expect(failed).rejects.toThrow(said);
  });
});
