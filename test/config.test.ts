import { describe, expect, it } from "vitest";
import { ConfigError, readConfig, readServerConfig } from "../src/config.ts";

function mistakesOf(env: Record<string, string>): readonly string[] {
  try {
    readConfig(env);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.mistakes;
    throw error;
  }
}

describe("the operator's settings", () => {
  it("need nothing to be set", () => {
    const config = readConfig({});

    expect(config).toMatchObject({ sandbox: "bwrap", setupNetwork: true, model: null });
    expect(config.dataDir).toMatch(/experience-store\/data$/);
  });

  it("have a model when a key or an address and its name are given", () => {
    const config = readConfig({
      OPENAI_BASE_URL: "http://127.0.0.1:8089/v1",
      RETRACE_MODEL: "relay",
      RETRACE_MODEL_PRICE: "0.15/0.03/1.20",
      RETRACE_MODEL_TIMEOUT_MS: "5000",
    });

    expect(config.model).toEqual({
      apiKey: null,
      baseUrl: "http://127.0.0.1:8089/v1",
      name: "relay",
      price: { input: 0.15, cached: 0.03, output: 1.2 },
      timeoutMs: 5000,
    });
  });

  it.each([
    [{ OPENAI_API_KEY: "k" }, ["RETRACE_MODEL is not set"]],
    [{ OPENAI_BASE_URL: "nowhere", RETRACE_MODEL: "m" }, ["OPENAI_BASE_URL is not a URL"]],
    [{ RETRACE_SANDBOX: "chroot" }, ['RETRACE_SANDBOX is "chroot"']],
    [{ OPENAI_API_KEY: "k", RETRACE_MODEL: "m", RETRACE_MODEL_PRICE: "1/2" }, ['RETRACE_MODEL_PRICE is "1/2"']],
    [{ OPENAI_API_KEY: "k", RETRACE_MODEL: "m", RETRACE_MODEL_PRICE: "1//2" }, ['RETRACE_MODEL_PRICE is "1//2"']],
    [{ OPENAI_API_KEY: "k", RETRACE_MODEL: "m", RETRACE_MODEL_TIMEOUT_MS: "-1" }, ['RETRACE_MODEL_TIMEOUT_MS is "-1"']],
    [
      { RETRACE_SANDBOX: "x", RETRACE_SETUP_NETWORK: "maybe" },
      ['RETRACE_SANDBOX is "x"', 'RETRACE_SETUP_NETWORK is "maybe"'],
    ],
  ])("name every mistake on a line of its own: %j", (env, starts) => {
    const mistakes = mistakesOf(env as Record<string, string>);

    expect(mistakes.map((mistake, index) => mistake.startsWith(starts[index] ?? "?"))).toEqual(starts.map(() => true));
  });

  it.each([
    [{}, { kind: "lexical" }],
    [
      { RETRACE_EMBEDDER: "openai", RETRACE_EMBED_MODEL: "small", OPENAI_API_KEY: "k", RETRACE_MODEL: "m" },
      { kind: "openai", model: "small", apiKey: "k", baseUrl: null },
    ],
    [
      { RETRACE_EMBEDDER: "transformers", RETRACE_EMBED_MODEL_PATH: "/models/mini" },
      { kind: "transformers", modelPath: "/models/mini" },
    ],
  ])("say what memory is searched with: %j", (env, embedder) => {
    expect(readConfig(env as Record<string, string>).embedder).toEqual(embedder);
  });

  it.each([
    [
      { RETRACE_EMBEDDER: "openai" },
      ["RETRACE_EMBED_MODEL is not set", "RETRACE_EMBEDDER is openai: set OPENAI_API_KEY"],
    ],
    [{ RETRACE_EMBEDDER: "transformers" }, ["RETRACE_EMBED_MODEL_PATH is not set"]],
    [{ RETRACE_EMBEDDER: "bert" }, ['RETRACE_EMBEDDER is "bert"']],
  ])("name what an embedder lacks: %j", (env, starts) => {
    const mistakes = mistakesOf(env as Record<string, string>);

    expect(mistakes.map((mistake, index) => mistake.startsWith(starts[index] ?? "?"))).toEqual(starts.map(() => true));
  });

  it("hand only certificate variables to the setup phase", () => {
    const config = readConfig({
      SSL_CERT_FILE: "/etc/ca.pem",
      GITHUB_TOKEN: "secret",
      OPENAI_API_KEY: "k",
      RETRACE_MODEL: "m",
    });

    expect(config.setupEnv).toEqual({ SSL_CERT_FILE: "/etc/ca.pem" });
  });
});

it("an App's id is a number", () => {
  const env = { APP_ID: "my-app", PRIVATE_KEY: "-----BEGIN KEY-----", WEBHOOK_SECRET: "s" };

  expect(() => readServerConfig(env)).toThrow('APP_ID is "my-app"');
  expect(readServerConfig({ ...env, APP_ID: "12" }).appId).toBe("12");
});
