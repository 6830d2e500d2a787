// What the memory's commands need, and no more.
import { openAiEmbedder } from "./adapters/embedder/openai-embedder.ts";
import { transformersEmbedder } from "./adapters/embedder/transformers-embedder.ts";
import { fileExperienceStore } from "./adapters/store/experience-store.ts";
import { ensureWritable } from "./compose-evidence.ts";
import type { Config } from "./config.ts";
import type { Embedder } from "./ports/embedder.ts";
import type { ExperienceStore } from "./ports/experience-store.ts";

export { composeWorld } from "./compose-evidence.ts";

/** The memory in the data folder, shared by command line and server. Throws ConfigError when it cannot be written. */
export function composeExperience(config: Config): ExperienceStore {
  ensureWritable(config.dataDir);
  return fileExperienceStore(config.dataDir, composeEmbedder(config));
}

/** The embedder that is configured; null: memory is searched by words. Nothing is loaded or asked before its first use. */
export function composeEmbedder({ embedder }: Pick<Config, "embedder">): Embedder | null {
  switch (embedder.kind) {
    case "lexical":
      return null;
    case "openai":
      return openAiEmbedder(embedder);
    case "transformers":
      return transformersEmbedder(embedder.modelPath);
  }
}
