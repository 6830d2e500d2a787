import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { z } from "zod";
import { type Embedder, EmbedderFailed } from "../../ports/embedder.ts";

const PACKAGE = "@huggingface/transformers";
const BATCH = 16; // a batch is padded to its longest text; more at a time is no faster on a CPU

/** What we use of the package, which is optional: nothing of it is there when this is built. */
interface Transformers {
  readonly env: {
    allowRemoteModels: boolean;
    allowLocalModels: boolean;
    localModelPath: string;
    useFSCache?: boolean;
  };
  pipeline(task: "feature-extraction", model: string, options: { readonly dtype: string }): Promise<Extract>;
}

type Extract = (
  texts: readonly string[],
  options: { readonly pooling: "mean"; readonly normalize: true },
) => Promise<unknown>;

const Package = z.looseObject({ env: z.looseObject({}), pipeline: z.function() });
const Vectors = z.looseObject({ data: z.instanceof(Float32Array), dims: z.tuple([z.int(), z.int().min(1)]) });

/**
 * Vectors from a model in a folder (`config.json`, `tokenizer.json`, `onnx/model.onnx` or `onnx/model_quantized.onnx`), mean
 * pooled, by the optional package @huggingface/transformers. Nothing is fetched from anywhere. The package is taken from beside the model
 * or from our own installation; it is loaded with the first text.
 */
export function transformersEmbedder(modelPath: string): Embedder {
  let opened: Promise<Extract> | null = null;
  return {
    id: `transformers ${path.basename(modelPath)} ${precisionOf(modelPath)}`,
    batch: BATCH,
    embed: async (texts) => {
      opened ??= open(modelPath);
      const extract = await opened;
      const all: Float32Array[] = [];
      for (let at = 0; at < texts.length; at += BATCH) {
        all.push(...(await extractBatch(extract, texts.slice(at, at + BATCH))));
      }
      return all;
    },
  };
}

function precisionOf(modelPath: string): "fp32" | "q8" {
  return existsSync(path.join(modelPath, "onnx", "model.onnx")) ? "fp32" : "q8";
}

async function open(modelPath: string): Promise<Extract> {
  if (!existsSync(path.join(modelPath, "config.json"))) {
    throw new EmbedderFailed("RETRACE_EMBED_MODEL_PATH names no folder with a model: config.json is not there");
  }
  const { env, pipeline } = await loadPackage(modelPath);
  env.allowRemoteModels = false;
  env.allowLocalModels = true;
  env.localModelPath = path.dirname(modelPath);
  try {
    return await pipeline("feature-extraction", path.basename(modelPath), { dtype: precisionOf(modelPath) });
  } catch (error) {
    throw new EmbedderFailed(`the model of RETRACE_EMBED_MODEL_PATH could not be loaded: ${firstLine(error)}`);
  }
}

async function loadPackage(modelPath: string): Promise<Transformers> {
  for (const from of [path.join(modelPath, "package.json"), import.meta.url]) {
    let file: string;
    try {
      file = createRequire(from).resolve(PACKAGE);
    } catch {
      continue; // not to be found from there
    }
    try {
      const loaded: unknown = await import(pathToFileURL(file).href);
      if (Package.safeParse(loaded).success) return loaded as Transformers;
      throw new Error("it has another interface than we know");
    } catch (error) {
      throw new EmbedderFailed(`${PACKAGE} could not be loaded: ${firstLine(error)}`);
    }
  }
  throw new EmbedderFailed(`${PACKAGE} is not installed: npm install ${PACKAGE} beside the model or in our folder`);
}

async function extractBatch(extract: Extract, texts: readonly string[]): Promise<readonly Float32Array[]> {
  let answer: unknown;
  try {
    answer = await extract(texts, { pooling: "mean", normalize: true });
  } catch (error) {
    throw new EmbedderFailed(`the local model failed: ${firstLine(error)}`);
  }
  const read = Vectors.safeParse(answer);
  if (!read.success || read.data.dims[0] !== texts.length) {
    throw new EmbedderFailed("the local model's answer holds no vector for each text");
  }
  const { data, dims } = read.data;
  return texts.map((_, at) => data.slice(at * dims[1], (at + 1) * dims[1]));
}

function firstLine(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split("\n")[0]?.slice(0, 300) ?? "";
}
