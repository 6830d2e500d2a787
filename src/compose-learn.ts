// What learning needs, and no more: no sandbox, no engines.
import { gitHistories } from "./adapters/git/history.ts";
import type { Config } from "./config.ts";
import type { LearnParts } from "./pipeline/learn-repair.ts";
import type { World } from "./ports/world.ts";
import { TOOLS } from "./tools/tools.ts";

export { composeGit, composeWorld } from "./compose-evidence.ts";

/** Everything learning from a clone runs on. */
export function composeLearn(config: Config, world: World): LearnParts {
  return { histories: gitHistories({ path: config.searchPath }), tools: TOOLS, world, keep: null };
}
