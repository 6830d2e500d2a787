// What the memory's commands need, and no more.
import { fileExperienceStore } from "./adapters/store/experience-store.ts";
import { ensureWritable } from "./compose-evidence.ts";
import type { Config } from "./config.ts";
import type { ExperienceStore } from "./ports/experience-store.ts";

export { composeWorld } from "./compose-evidence.ts";

/** The memory in the data folder, shared by command line and server. Throws ConfigError when it cannot be written. */
export function composeExperience({ dataDir }: Config): ExperienceStore {
  ensureWritable(dataDir);
  return fileExperienceStore(dataDir);
}
