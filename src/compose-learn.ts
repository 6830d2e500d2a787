// What learning needs, and no more: no sandbox, no engines.
import { gitHistories } from "./adapters/git/history.ts";
import { openAiChat } from "./adapters/llm/openai-chat.ts";
import type { AskParts } from "./agent/ask.ts";
import { Budget } from "./agent/budget.ts";
import { NO_TRANSCRIPT } from "./agent/transcript.ts";
import type { Config } from "./config.ts";
import type { LearnParts } from "./pipeline/learn-repair.ts";
import type { World } from "./ports/world.ts";
import { TOOLS } from "./tools/tools.ts";

export { composeGit, composeWorld } from "./compose-evidence.ts";

/** Everything learning from a clone runs on. */
export function composeLearn(config: Config, world: World, tell: (line: string) => void): LearnParts {
  const histories = gitHistories({ path: config.searchPath });
  return { histories, tools: TOOLS, world, model: composeModel(config, world), tell, keep: null };
}

// One episode: papers §13.2 gives a pull request 0.20 dollars; tokens bind where no price is set. A hundred commits take
// some two hundred questions.
const LIMITS = { usd: 0.2, tokens: 1_000_000, calls: 300, wallMs: 60 * 60_000 };

function composeModel(config: Config, world: World): AskParts | null {
  if (config.model === null) return null;
  const { name: model, apiKey, baseUrl, timeoutMs, price } = config.model;
  const monotonicMs = (): number => world.monotonicMs();
  return {
    llm: openAiChat({ model, apiKey, baseUrl, timeoutMs, monotonicMs }),
    budget: new Budget(LIMITS, price, monotonicMs),
    transcript: NO_TRANSCRIPT,
  };
}
