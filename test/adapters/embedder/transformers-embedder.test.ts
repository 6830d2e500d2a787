import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { transformersEmbedder } from "../../../src/adapters/embedder/transformers-embedder.ts";
import { EmbedderFailed } from "../../../src/ports/embedder.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "transformers-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A model's folder; what is in its files is for the package to read. */
function model(weights = "model.onnx"): string {
  const dir = path.join(folder, "tiny");
  mkdirSync(path.join(dir, "onnx"), { recursive: true });
  writeFileSync(path.join(dir, "config.json"), "{}");
  writeFileSync(path.join(dir, "onnx", weights), "");
  return dir;
}

/** A package of that name beside the model, in the shape of the real one. */
function standIn(source: string): void {
  const dir = path.join(folder, "node_modules", "@huggingface", "transformers");
  mkdirSync(dir, { recursive: true });
  writeFileSync(
    path.join(dir, "package.json"),
    JSON.stringify({ name: "@huggingface/transformers", main: "index.mjs" }),
  );
  writeFileSync(path.join(dir, "index.mjs"), source);
}

/** Answers with what it was opened and asked with, as numbers. */
const COUNTS = `
  export const env = { allowRemoteModels: true, allowLocalModels: false, localModelPath: "/models/" };
  export async function pipeline(task, name, { dtype }) {
    if (task !== "feature-extraction" || env.allowRemoteModels || !env.allowLocalModels) throw new Error("opened wrongly");
    if (name !== "tiny" || env.localModelPath !== ${JSON.stringify("FOLDER")}) throw new Error("another model");
    return async (texts, { pooling, normalize }) => {
      if (pooling !== "mean" || normalize !== true) throw new Error("pooled wrongly");
      const rows = texts.map((text) => [text.length, texts.length, dtype === "fp32" ? 32 : 8]);
      return { data: Float32Array.from(rows.flat()), dims: [rows.length, 3] };
    };
  }`;

describe("a local model", () => {
  it.each([
    ["model.onnx", 32, "transformers tiny fp32"],
    ["model_quantized.onnx", 8, "transformers tiny q8"],
  ])("with %s is opened from its folder and nowhere else, and asked in batches", async (weights, bits, id) => {
    const dir = model(weights);
    standIn(COUNTS.replace("FOLDER", folder));
    const embedder = transformersEmbedder(dir);
    const texts = Array.from({ length: 18 }, (_, at) => "x".repeat(at + 1));

    const vectors = await embedder.embed(texts);

    expect(vectors.map((vector) => [...vector])).toEqual(
      texts.map((text, at) => [text.length, at < 16 ? 16 : 2, bits]),
    );
    expect(embedder.id).toBe(id);
  });

  it.each<readonly [string, string, RegExp]>([
    [
      "cannot be opened",
      "export const env = {}; export async function pipeline() { throw new Error('no tokenizer.json\\nat …'); }",
      /could not be loaded: no tokenizer.json$/,
    ],
    [
      "answers with something else",
      "export const env = {}; export async function pipeline() { return async () => ({ data: [], dims: [1] }); }",
      /holds no vector for each text$/,
    ],
    [
      "fails",
      "export const env = {}; export async function pipeline() { return async () => { throw new Error('out of memory'); }; }",
      /the local model failed: out of memory$/,
    ],
    [
      "has a package of another kind",
      "export const hello = 1;",
      /could not be loaded: it has another interface than we know$/,
    ],
    [
      "has a broken package",
      "throw new Error('no binary for this machine')",
      /could not be loaded: no binary for this machine$/,
    ],
  ])("that %s is one clear failure", async (_, source, said) => {
    const dir = model();
    standIn(source);
    const failed = transformersEmbedder(dir).embed(["one"]);

    await expect(failed).rejects.toThrow(EmbedderFailed);
    await expect(failed).rejects.toThrow(said);
  });

  it("that is not there, or whose package is not, says what to do", async () => {
    await expect(transformersEmbedder(path.join(folder, "none")).embed(["one"])).rejects.toThrow(
      "RETRACE_EMBED_MODEL_PATH names no folder with a model: config.json is not there",
    );
    // Not installed with us either: it is optional.
    await expect(transformersEmbedder(model()).embed(["one"])).rejects.toThrow(
      /@huggingface\/transformers is not installed: npm install/,
    );
  });
});
