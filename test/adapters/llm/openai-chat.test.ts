import { afterEach, describe, expect, it } from "vitest";
import { type OpenAiChatOptions, openAiChat } from "../../../src/adapters/llm/openai-chat.ts";
import type { ChatRequest, Llm, UpstreamError } from "../../../src/ports/llm.ts";
import {
  type Reply,
  type ScriptedModel,
  type ScriptedModelOptions,
  startScriptedModel,
} from "../../fakes/scripted-model.ts";

const KEY = "sk-test-4f9c2b7e1d8a6053";

const BASH = {
  name: "bash",
  description: "Runs a command.",
  parameters: { type: "object", properties: { command: { type: "string" } }, required: ["command"] },
};

const HELLO: ChatRequest = {
  messages: [
    { role: "system", content: "Be brief." },
    { role: "user", content: "Hello." },
  ],
  temperature: 0,
  maxOutputTokens: 8_192,
};
const WITH_TOOLS: ChatRequest = { ...HELLO, tools: [BASH] };

const open: ScriptedModel[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((model) => model.close()));
});

async function modelThatSays(
  script: readonly Reply[],
  given: Partial<OpenAiChatOptions> = {},
  server: ScriptedModelOptions = {},
): Promise<{ readonly llm: Llm; readonly model: ScriptedModel }> {
  const model = await startScriptedModel(script, server);
  open.push(model);
  let ms = 0;
  const llm = openAiChat({
    model: "scripted",
    apiKey: KEY,
    baseUrl: model.baseUrl,
    timeoutMs: 5_000,
    monotonicMs: () => (ms += 7),
    ...given,
  });
  return { llm, model };
}

const failure = (work: Promise<unknown>): Promise<UpstreamError> =>
  work.then(
    () => Promise.reject(new Error("it did not fail")),
    (error: UpstreamError) => error,
  );

const RETRY_AT_ONCE = { "retry-after-ms": "1" };

describe("a model over Chat Completions", () => {
  it("answers with text, tool calls, how it ended and what it cost", async () => {
    const usage = { prompt_tokens: 1_200, completion_tokens: 30, prompt_tokens_details: { cached_tokens: 1_000 } };
    const { llm, model } = await modelThatSays([{ bash: "ls", say: "Looking.", usage }], { extra: { seed: 7 } });

    const answer = await llm.chat(WITH_TOOLS);

    expect(answer).toEqual({
      content: "Looking.",
      toolCalls: [{ id: "call_1", name: "bash", arguments: '{"command":"ls"}' }],
      finish: "tool_calls",
      usage: { calls: 1, inputTokens: 1_200, cachedTokens: 1_000, outputTokens: 30, usd: null, ms: 7 },
      usageEstimated: false,
    });
    expect(model.requests).toEqual([
      {
        model: "scripted",
        messages: HELLO.messages,
        tools: [{ type: "function", function: BASH }],
        temperature: 0,
        max_completion_tokens: 8_192,
        stream: false,
        seed: 7,
      },
    ]);
    expect(model.headers[0]?.authorization).toBe(`Bearer ${KEY}`);
  });

  it("sends calls and their answers back as the protocol wants them", async () => {
    const { llm, model } = await modelThatSays([{ content: "Good." }]);

    await llm.chat({
      ...WITH_TOOLS,
      messages: [
        ...HELLO.messages,
        { role: "assistant", content: null, toolCalls: [{ id: "a", name: "bash", arguments: "{}" }] },
        { role: "tool", toolCallId: "a", content: "exit code: 0" },
        { role: "assistant", content: "And now?", toolCalls: [] },
      ],
    });

    expect(model.requests[0]?.messages.slice(2)).toEqual([
      {
        role: "assistant",
        content: null,
        tool_calls: [{ id: "a", type: "function", function: { name: "bash", arguments: "{}" } }],
      },
      { role: "tool", tool_call_id: "a", content: "exit code: 0" },
      { role: "assistant", content: "And now?" },
    ]);
  });

  it("sends no key where none is given", async () => {
    const { llm, model } = await modelThatSays([{ content: "Hi." }], { apiKey: null });

    await llm.chat(HELLO);

    expect(model.headers[0]?.authorization).toBeUndefined();
  });

  it.each([
    ["no usage", null],
    ["usage that makes no sense", { prompt_tokens: -1, completion_tokens: 2 }],
  ])("counts the tokens itself and says so when the answer has %s", async (_, usage) => {
    const { llm } = await modelThatSays([{ content: "Hi there.", usage }]);

    const answer = await llm.chat(HELLO);

    expect(answer).toEqual({
      content: "Hi there.",
      toolCalls: [],
      finish: "stop",
      usage: { calls: 1, inputTokens: 13, cachedTokens: 0, outputTokens: 3, usd: null, ms: 7 },
      usageEstimated: true,
    });
  });

  it("takes what compatible servers say differently", async () => {
    const message = {
      content: [
        { type: "text", text: "Look" },
        { type: "text", text: "ing." },
      ],
      tool_calls: [
        { id: "", function: { name: "bash", arguments: { command: "ls" } } },
        { id: "same", type: "custom", custom: { name: "shell", input: "pwd" } },
        { id: "same", function: { name: "bash", arguments: "{" } },
        "what",
      ],
    };
    const { llm } = await modelThatSays([{ raw: JSON.stringify({ choices: [{ message }] }) }]);

    const answer = await llm.chat(WITH_TOOLS);

    expect(answer).toMatchObject({
      content: "Looking.",
      toolCalls: [
        { id: "call_0", name: "bash", arguments: '{"command":"ls"}' },
        { id: "same", name: "shell", arguments: "pwd" },
        { id: "call_2", name: "bash", arguments: "{" },
        { id: "call_3", name: "", arguments: '"what"' },
      ],
      finish: "tool_calls",
    });
  });

  it("cuts an answer of ten million characters", async () => {
    const { llm } = await modelThatSays([{ content: "a".repeat(10_000_000) }]);

    const answer = await llm.chat(HELLO);

    expect({ characters: answer.content.length, finish: answer.finish }).toEqual({
      characters: 200_000,
      finish: "length",
    });
  });
});

describe("a model's endpoint that asks for another form", () => {
  const dialects = [
    {
      refusal: "Unsupported parameter: 'max_completion_tokens' is not supported with this model.",
      param: "max_completion_tokens",
      instead: { temperature: 0, max_tokens: 8_192 },
    },
    {
      refusal:
        "Unsupported value: 'temperature' does not support 0 with this model. Only the default (1) value is supported.",
      param: "temperature",
      instead: { max_completion_tokens: 8_192 },
    },
  ];

  it.each(dialects)("is asked again without $param, and so from then on", async ({ refusal, param, instead }) => {
    const { llm, model } = await modelThatSays([
      { status: 400, error: { message: refusal, param } },
      { content: "Hi." },
      { content: "Hi again." },
    ]);

    await llm.chat(HELLO);
    const answer = await llm.chat(HELLO);

    expect(answer.content).toBe("Hi again.");
    const asked = model.requests.map(({ messages: _, model: __, stream: ___, ...rest }) => rest);
    expect(asked).toEqual([{ temperature: 0, max_completion_tokens: 8_192 }, instead, instead]);
  });

  it("is asked without an output limit when it takes neither name at that size", async () => {
    const tooLarge = "max_tokens is too large: 8192. This model supports at most 4096 completion tokens.";
    const refusal: Reply = { status: 400, error: { message: tooLarge, param: "max_tokens" } };
    const { llm, model } = await modelThatSays([refusal, refusal, { content: "Hi." }]);

    await llm.chat(HELLO);

    expect(model.requests.at(-1)).toEqual({
      model: "scripted",
      messages: HELLO.messages,
      temperature: 0,
      stream: false,
    });
  });

  it.each<[string, Reply]>([
    ["OpenAI", { status: 400, error: { message: "Unrecognized request argument supplied: tools", param: "tools" } }],
    ["Ollama", { status: 400, error: { message: "registry.ollama.ai/library/gemma does not support tools" } }],
    [
      "vLLM",
      { raw: '{"object":"error","message":"\\"auto\\" tool choice requires --enable-auto-tool-choice"}', status: 400 },
    ],
    [
      "llama.cpp",
      { status: 500, error: { message: "tools param requires --jinja flag" }, headers: { "x-should-retry": "false" } },
    ],
    ["OpenRouter", { status: 404, error: { message: "No endpoints found that support tool use." } }],
  ])("is known to take no tools by what %s says, and is not asked with tools again", async (_, refusal) => {
    const { llm, model } = await modelThatSays([refusal, { content: "Hi." }]);

    const first = await failure(llm.chat(WITH_TOOLS));
    const second = await failure(llm.chat(WITH_TOOLS));
    const answer = await llm.chat(HELLO);

    expect([first.kind, second.kind, answer.content]).toEqual(["tools-refused", "tools-refused", "Hi."]);
    expect(model.requests.length).toBe(2);
  });
});

describe("a model that fails", () => {
  it.each<[string, Reply]>([
    ["429", { status: 429, error: { message: "slow down" }, headers: RETRY_AT_ONCE }],
    ["500", { status: 500, error: { message: "oh" }, headers: RETRY_AT_ONCE }],
    ["a broken connection", { drop: true }],
  ])("is asked again after %s", async (_, reply) => {
    const { llm, model } = await modelThatSays([reply, { content: "Hi." }]);

    const answer = await llm.chat(HELLO);

    expect([answer.content, model.requests.length]).toEqual(["Hi.", 2]);
  });

  const failures: readonly { readonly reply: Reply; readonly kind: UpstreamError["kind"]; readonly message: string }[] =
    [
      {
        reply: { status: 429, error: { message: "slow\ndown" }, headers: RETRY_AT_ONCE },
        kind: "rate",
        message: "the model's endpoint answered 429 slow down",
      },
      {
        reply: { status: 503, error: { message: "busy" }, headers: RETRY_AT_ONCE },
        kind: "unreachable",
        message: "the model's endpoint answered 503 busy",
      },
      {
        reply: { status: 401, error: { message: `Incorrect API key provided: ${KEY}.` } },
        kind: "auth",
        message: "the model's endpoint answered 401 Incorrect API key provided: [key].",
      },
      {
        reply: { status: 404, error: { message: "no such model" } },
        kind: "refused",
        message: "the model's endpoint answered 404 no such model",
      },
      {
        reply: { status: 400, error: { message: "too long", code: "context_length_exceeded" } },
        kind: "context",
        message: "the model's endpoint answered 400 too long",
      },
      {
        reply: {
          raw: '{"message":"\'max_tokens\' is too large. This model\'s maximum context length is 4096 tokens"}',
          status: 400,
        },
        kind: "context",
        message:
          "the model's endpoint answered 400 {\"message\":\"'max_tokens' is too large. This model's maximum context length is 4096 tokens\"}",
      },
      {
        reply: { raw: "<html>busy</html>", contentType: "text/html" },
        kind: "nonsense",
        message: "the answer is no chat completion: <html>busy</html>",
      },
      { reply: { raw: "{ not JSON" }, kind: "nonsense", message: "the answer is not JSON" },
      {
        reply: { raw: '{"choices":[]}' },
        kind: "nonsense",
        message: 'the answer is no chat completion: {"choices":[]}',
      },
      { reply: { raw: "null" }, kind: "nonsense", message: "the answer is no chat completion: null" },
      { reply: { raw: "" }, kind: "nonsense", message: "the answer is not JSON" },
      {
        reply: { raw: `${KEY} is your key`, contentType: "text/plain" },
        kind: "nonsense",
        message: "the answer is no chat completion: [key] is your key",
      },
      { reply: { hang: "before-headers" }, kind: "timeout", message: "the model did not answer in time" },
      { reply: { hang: "after-headers" }, kind: "timeout", message: "the model did not answer in time" },
      { reply: { drop: true }, kind: "unreachable", message: "the model cannot be reached: socket hang up" },
      {
        reply: { raw: "x".repeat(33 * 1024 * 1024) },
        kind: "nonsense",
        message: "the model's endpoint answered 502 the answer is larger than 33554432 bytes",
      },
    ];

  it.each(failures)("is a $kind error: $message", async ({ reply, kind, message }) => {
    // Only who never answers is to be waited for in vain; 33 MB take their time on a busy machine.
    const timeoutMs = kind === "timeout" ? 300 : 30_000;
    const { llm } = await modelThatSays([reply, reply], { maxRetries: 1, timeoutMs });

    const error = await failure(llm.chat(HELLO));

    expect({ name: error.name, kind: error.kind, message: error.message }).toEqual({
      name: "UpstreamError",
      kind,
      message,
    });
  });

  it("is not waited for when it wants us away for an hour", async () => {
    const { llm, model } = await modelThatSays([
      { status: 429, error: { message: "come back later" }, headers: { "retry-after": "3600" } },
    ]);

    const error = await failure(llm.chat(HELLO));

    expect([error.kind, model.requests.length]).toEqual(["rate", 1]);
  });

  it.each<[string, Reply]>([
    ["while it thinks", { hang: "before-headers" }],
    ["between two tries", { status: 429, error: { message: "slow down" }, headers: { "retry-after": "30" } }],
  ])("is left at once when the caller stops %s", async (_, reply) => {
    const { llm } = await modelThatSays([reply]);
    const stop = new AbortController();
    const started = performance.now();
    setTimeout(() => stop.abort(), 100);

    const error = await failure(llm.chat({ ...HELLO, signal: stop.signal }));

    expect(error.kind).toBe("aborted");
    expect(performance.now() - started).toBeLessThan(2_000);
  });

  it("is unreachable when nobody listens", async () => {
    const { llm, model } = await modelThatSays([], { maxRetries: 0 });
    await model.close();

    const error = await failure(llm.chat(HELLO));

    expect([error.kind, error.message.replace(/:\d+$/, "")]).toEqual([
      "unreachable",
      "the model cannot be reached: connect ECONNREFUSED 127.0.0.1",
    ]);
  });
});
