import type { Authorship } from "../experience/upkeep/standing.ts";
import type { ExperienceStore } from "../ports/experience-store.ts";
import type { LearnParts } from "./learn-repair.ts";

/** What the app needs to learn. */
export interface Learning {
  /** Whoever opens it closes it. */
  openMemory(): ExperienceStore;
  /** Whose account it is kept for, what its author counts for, and when it turned green. */
  partsFor(as: { readonly tenant: string; readonly author: Authorship; readonly at: Date }): LearnParts;
}
