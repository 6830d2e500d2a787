import { readFileSync } from "node:fs";
import path from "node:path";
import type { ModelPrice } from "./domain/usage.ts";

/** What the operator set (design §6). Read once at the start; nothing else reads the environment. */
export interface Config {
  /** Absolute. Transcripts, memory and state; the caller sees to it that it can be written. */
  readonly dataDir: string;
  readonly sandbox: SandboxKind;
  readonly setupNetwork: boolean;
  /** Null without a configured model. */
  readonly model: ModelConfig | null;
  /** What memory is searched with. */
  readonly embedder: EmbedderConfig;
  /** Command line of a headless coding agent for the engine `external`; null when none is set. */
  readonly externalCommand: string | null;
  /** A search service for the Helper of `fixagent`; null: what installed dependencies bring along. */
  readonly referencesUrl: string | null;
  /** Where the operator's tools are found; the sandbox binds their prefixes read-only. */
  readonly searchPath: string;
  readonly home: string;
  /** Certificates the machine needs to reach the outside; used in the setup phase only. */
  readonly setupEnv: Readonly<Record<string, string>>;
  readonly colour: boolean;
}

export interface ModelConfig {
  readonly apiKey: string | null;
  readonly baseUrl: string | null;
  readonly name: string;
  readonly price: ModelPrice | null;
  readonly timeoutMs: number;
}

export type EmbedderConfig =
  /** By words: nothing to install, nothing leaves the machine. */
  | { readonly kind: "lexical" }
  | { readonly kind: "openai"; readonly apiKey: string | null; readonly baseUrl: string | null; readonly model: string }
  /** A folder with a model for @huggingface/transformers. */
  | { readonly kind: "transformers"; readonly modelPath: string };

/** What the app needs beyond that (design §6). */
export interface ServerConfig {
  readonly appId: string;
  readonly privateKey: string;
  readonly webhookSecret: string;
  readonly host: string;
  readonly port: number;
  readonly logLevel: LogLevel;
  readonly collectMs: number;
  readonly ciSeenMs: number;
  readonly concurrency: number;
  readonly throttle: boolean;
  readonly adminToken: string | null;
}

const LOG_LEVELS = ["trace", "debug", "info", "warn", "error", "fatal"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

const SANDBOX_KINDS = ["bwrap", "podman", "docker", "none"] as const;
export type SandboxKind = (typeof SANDBOX_KINDS)[number];

/** Something the operator must mend before work can start: exit 3, one line for each mistake. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
  readonly mistakes: readonly string[];

  constructor(mistakes: readonly string[]) {
    super(mistakes.join("\n"));
    this.mistakes = mistakes;
  }
}

type Environment = Readonly<Record<string, string | undefined>>;

// A model that thinks long answers within minutes; the client's own default is the same ten minutes.
const MODEL_TIMEOUT_MS = 600_000;

// Names that say where certificate authorities are; they hold no secret.
const CERTIFICATE_VARIABLES = [
  "NODE_EXTRA_CA_CERTS",
  "SSL_CERT_FILE",
  "SSL_CERT_DIR",
  "CURL_CA_BUNDLE",
  "REQUESTS_CA_BUNDLE",
  "PIP_CERT",
  "GIT_SSL_CAINFO",
  "CARGO_HTTP_CAINFO",
];

/** Reads the environment; throws ConfigError naming every mistake at once. */
export function readConfig(env: Environment = process.env): Config {
  const mistakes: string[] = [];
  const config: Config = {
    dataDir: path.resolve(env.RETRACE_DATA_DIR || path.join(import.meta.dirname, "..", "experience-store", "data")),
    sandbox: oneOf(env, "RETRACE_SANDBOX", SANDBOX_KINDS, "bwrap", mistakes),
    setupNetwork: oneOf(env, "RETRACE_SETUP_NETWORK", ["on", "off"] as const, "on", mistakes) === "on",
    model: readModel(env, mistakes),
    embedder: readEmbedder(env, mistakes),
    referencesUrl: readUrl(env, "RETRACE_REFERENCES_URL", mistakes),
    externalCommand: env.RETRACE_EXTERNAL_COMMAND?.trim() || null,
    searchPath: env.PATH ?? "/usr/local/bin:/usr/bin:/bin",
    home: env.HOME ?? "/",
    setupEnv: Object.fromEntries(
      CERTIFICATE_VARIABLES.flatMap((name) => (env[name] ? [[name, env[name]] as const] : [])),
    ),
    colour: !env.NO_COLOR && (env.FORCE_COLOR !== undefined || process.stdout.isTTY === true),
  };
  if (mistakes.length > 0) throw new ConfigError(mistakes);
  return config;
}

const DEFAULT_COLLECT_MS = 20_000; // design §6
const DEFAULT_CI_SEEN_MS = 600_000; // design §6
const DEFAULT_PORT = 3000; // Probot's
// One repair keeps a core busy while its checks run.
const DEFAULT_CONCURRENCY = 1;

/** Reads what the app needs; throws ConfigError naming every mistake at once. */
export function readServerConfig(env: Environment = process.env): ServerConfig {
  const mistakes: string[] = [];
  const needed = (name: string, what: string): string => {
    if (!env[name]) mistakes.push(`${name} is not set: ${what}`);
    return env[name] ?? "";
  };
  const config: ServerConfig = {
    appId: needed("APP_ID", "the GitHub App's id, from its settings page"),
    privateKey: readPrivateKey(env, mistakes),
    webhookSecret: needed("WEBHOOK_SECRET", "the GitHub App's webhook secret"),
    host: env.HOST || "127.0.0.1",
    port: readPort(env, mistakes),
    logLevel: oneOf(env, "LOG_LEVEL", LOG_LEVELS, "info", mistakes),
    collectMs: readPositive(env, "RETRACE_COLLECT_MS", DEFAULT_COLLECT_MS, mistakes),
    ciSeenMs: readPositive(env, "RETRACE_CI_SEEN_MS", DEFAULT_CI_SEEN_MS, mistakes),
    concurrency: readPositive(env, "RETRACE_CONCURRENCY", DEFAULT_CONCURRENCY, mistakes),
    throttle: oneOf(env, "RETRACE_GITHUB_THROTTLE", ["on", "off"] as const, "on", mistakes) === "on",
    adminToken: env.RETRACE_ADMIN_TOKEN || null,
  };
  if (config.appId !== "" && !/^\d+$/.test(config.appId)) {
    mistakes.push(`APP_ID is "${config.appId}": write the App's number`);
  }
  if (mistakes.length > 0) throw new ConfigError(mistakes);
  return config;
}

/** All that `serve` needs. */
export interface ServeConfig {
  readonly config: Config;
  readonly server: ServerConfig;
  /** REST address of the host. */
  readonly apiUrl: string;
}

/** Reads all that `serve` needs; throws ConfigError naming every mistake at once. */
export function readServeConfig(env: Environment = process.env): ServeConfig {
  const mistakes: string[] = [];
  const tried = <T>(read: (env: Environment) => T): T | null => {
    try {
      return read(env);
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      mistakes.push(...error.mistakes);
      return null;
    }
  };
  const [config, server, apiUrl] = [tried(readConfig), tried(readServerConfig), tried(readApiUrl)];
  if (config === null || server === null || apiUrl === null) throw new ConfigError(mistakes);
  return { config, server, apiUrl };
}

/** The REST address of the host: GitHub's own, or a compatible one by GHE_HOST and GHE_PROTOCOL as Probot reads them. */
export function readApiUrl(env: Environment = process.env): string {
  const mistakes: string[] = [];
  const protocol = oneOf(env, "GHE_PROTOCOL", ["https", "http"] as const, "https", mistakes);
  if (mistakes.length > 0) throw new ConfigError(mistakes);
  return env.GHE_HOST ? `${protocol}://${env.GHE_HOST}/api/v3` : "https://api.github.com";
}

/** A person's token for `repair --github`; null when none is set. */
export function readGitHubToken(env: Environment = process.env): string | null {
  return env.GITHUB_TOKEN || null;
}

/** As it is, with `\\n` for line ends, in base64, or in a file (Probot's forms). */
function readPrivateKey(env: Environment, mistakes: string[]): string {
  if (env.PRIVATE_KEY) {
    const key = env.PRIVATE_KEY.replaceAll("\\n", "\n");
    return key.includes("-----BEGIN") ? key : Buffer.from(key, "base64").toString("utf8");
  }
  if (!env.PRIVATE_KEY_PATH) {
    mistakes.push("PRIVATE_KEY or PRIVATE_KEY_PATH is not set: the GitHub App's private key (PEM)");
    return "";
  }
  try {
    return readFileSync(env.PRIVATE_KEY_PATH, "utf8");
  } catch {
    mistakes.push(`PRIVATE_KEY_PATH is "${env.PRIVATE_KEY_PATH}": that file cannot be read`);
    return "";
  }
}

function readUrl(env: Environment, name: string, mistakes: string[]): string | null {
  const text = env[name];
  if (!text) return null;
  if (!URL.canParse(text)) mistakes.push(`${name} is not a URL`);
  return text;
}

function readModel(env: Environment, mistakes: string[]): ModelConfig | null {
  const apiKey = env.OPENAI_API_KEY || null;
  const baseUrl = readUrl(env, "OPENAI_BASE_URL", mistakes);
  if (apiKey === null && baseUrl === null) return null;
  if (!env.RETRACE_MODEL) {
    mistakes.push("RETRACE_MODEL is not set: name the model to use, or unset OPENAI_API_KEY and OPENAI_BASE_URL");
  }
  return {
    apiKey,
    baseUrl,
    name: env.RETRACE_MODEL ?? "",
    price: readPrice(env.RETRACE_MODEL_PRICE, mistakes),
    timeoutMs: readPositive(env, "RETRACE_MODEL_TIMEOUT_MS", MODEL_TIMEOUT_MS, mistakes),
  };
}

function readEmbedder(env: Environment, mistakes: string[]): EmbedderConfig {
  const kind = oneOf(env, "RETRACE_EMBEDDER", ["lexical", "openai", "transformers"] as const, "lexical", mistakes);
  const needed = (name: string, what: string): string => {
    if (!env[name]) mistakes.push(`${name} is not set, and RETRACE_EMBEDDER is ${kind}: ${what}`);
    return env[name] ?? "";
  };
  switch (kind) {
    case "lexical":
      return { kind };
    case "openai": {
      const model = needed("RETRACE_EMBED_MODEL", "name the embedding model of the endpoint");
      const [apiKey, baseUrl] = [env.OPENAI_API_KEY || null, env.OPENAI_BASE_URL || null];
      if (apiKey === null && baseUrl === null) {
        mistakes.push("RETRACE_EMBEDDER is openai: set OPENAI_API_KEY or OPENAI_BASE_URL");
      }
      return { kind, apiKey, baseUrl, model };
    }
    case "transformers": {
      const modelPath = needed("RETRACE_EMBED_MODEL_PATH", "the folder of the model, e.g. of all-MiniLM-L6-v2");
      return { kind, modelPath: modelPath === "" ? "" : path.resolve(modelPath) };
    }
  }
}

/** `in/cached/out` in dollars per million tokens, e.g. `0.15/0.03/1.20`. */
function readPrice(text: string | undefined, mistakes: string[]): ModelPrice | null {
  if (!text) return null;
  const [input, cached, output, ...more] = text
    .split("/")
    .map((part) => (part.trim() === "" ? Number.NaN : Number(part)));
  const usable = (value: number | undefined): value is number =>
    value !== undefined && Number.isFinite(value) && value >= 0;
  if (!usable(input) || !usable(cached) || !usable(output) || more.length > 0) {
    mistakes.push(
      `RETRACE_MODEL_PRICE is "${text}": write dollars per million tokens as in/cached/out, e.g. 0.15/0.03/1.20`,
    );
    return null;
  }
  return { input, cached, output };
}

/** 0 takes any free port. */
function readPort(env: Environment, mistakes: string[]): number {
  if (!env.PORT) return DEFAULT_PORT;
  const port = Number(env.PORT);
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port;
  mistakes.push(`PORT is "${env.PORT}": write a port number`);
  return DEFAULT_PORT;
}

function readPositive(env: Environment, name: string, otherwise: number, mistakes: string[]): number {
  const text = env[name];
  if (!text) return otherwise;
  const value = Number(text);
  if (Number.isInteger(value) && value > 0) return value;
  mistakes.push(`${name} is "${text}": write a whole number above 0`);
  return otherwise;
}

function oneOf<const T extends string>(
  env: Environment,
  name: string,
  values: readonly T[],
  otherwise: NoInfer<T>,
  mistakes: string[],
): T {
  const text = env[name];
  if (!text) return otherwise;
  const value = values.find((known) => known === text);
  if (value !== undefined) return value;
  mistakes.push(`${name} is "${text}": choose ${values.join(", ")}`);
  return otherwise;
}
