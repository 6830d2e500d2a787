// What learning needs, and no more: no sandbox, no engines.
import { gitHistories } from "./adapters/git/history.ts";
import { openAiChat } from "./adapters/llm/openai-chat.ts";
import type { AskParts } from "./agent/ask.ts";
import { Budget } from "./agent/budget.ts";
import { NO_TRANSCRIPT } from "./agent/transcript.ts";
import { ensureWritable } from "./compose-evidence.ts";
import { composeExperience } from "./compose-experience.ts";
import type { Config } from "./config.ts";
import type { EvidenceItem, Reconstruction } from "./domain/experience.ts";
import { abstractRecords } from "./experience/abstract/abstract-records.ts";
import { remember } from "./experience/upkeep/remember.ts";
import type { LearnedFrom } from "./experience/upkeep/to-records.ts";
import type { LearnParts } from "./pipeline/learn-repair.ts";
import type { World } from "./ports/world.ts";
import { TOOLS } from "./tools/tools.ts";

export { composeGit, composeWorld } from "./compose-evidence.ts";

/** Everything learning from a clone runs on. */
export function composeLearn(
  config: Config,
  world: World,
  tell: (line: string) => void,
  as: LearnedAs = FROM_A_CLONE,
): LearnParts {
  ensureWritable(config.dataDir);
  const histories = gitHistories({ path: config.searchPath });
  const parts = { model: composeModel(config, world), tell };
  const keep: LearnParts["keep"] = (learned, evidence) => keepLearned(learned, evidence, config, world, parts, as);
  return { histories, tools: TOOLS, world, ...parts, keep };
}

/** Whose memory it becomes, and what its author counts for. */
type LearnedAs = Pick<LearnedFrom, "tenant" | "author"> & { readonly at?: Date };

/** Episodes of a local clone count as trusted, and belong to the command line's own account (design §5). */
const FROM_A_CLONE: LearnedAs = { tenant: "local", author: "maintainer" };

async function keepLearned(
  learned: Reconstruction,
  evidence: readonly EvidenceItem[],
  config: Config,
  world: World,
  { model: asked, tell }: Pick<LearnParts, "model" | "tell">,
  as: LearnedAs,
): Promise<void> {
  const abstracted = await abstractRecords(learned, evidence, asked);
  for (const { of, unanswered } of abstracted)
    for (const why of unanswered) tell(`${of}: the model was of no help: ${why}`);
  const answered = learned.episode.quality === "full" || abstracted.some((one) => one.quality === "full");
  const model = answered ? (config.model?.name ?? null) : null;
  const now = world.now();
  const store = composeExperience(config);
  try {
    const from = { ...as, at: as.at ?? now, now, model, promptHash: null } as const;
    const { isNew, written } = await remember(learned, abstracted, from, store);
    const kept = written.filter(({ ended }) => ended === "kept").map(({ id }) => id);
    tell(
      kept.length > 0
        ? `kept in memory: ${kept.join(", ")}`
        : isNew
          ? "kept in memory: the episode"
          : "in memory already",
    );
    for (const { id, ended, why } of written)
      if (ended !== "kept" && ended !== "unchanged") tell(`${id} was not kept: ${why}`);
  } finally {
    await store.close();
  }
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
