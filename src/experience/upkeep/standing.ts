import type { ExperienceMeta } from "../../domain/experience.ts";

/** Who made the change that repaired it, as far as the memory cares. */
export type Authorship =
  | "maintainer" // may write to the repository; also whoever learns from a local clone (design §5)
  | "contributor" // had changes merged before
  | "stranger" // first change here, or from a fork
  | "bot"
  | "retrace"; // our own, merged as it was

type Standing = Pick<ExperienceMeta, "trust" | "status">;

/** papers §13.2 and §13.4: what an author's episode counts for, and whether it may guide anybody yet. */
const STANDINGS: Readonly<Record<Authorship, Standing>> = {
  maintainer: { trust: 1, status: "active" },
  contributor: { trust: 1, status: "active" },
  stranger: { trust: 1, status: "quarantined" },
  bot: { trust: 0.6, status: "active" },
  retrace: { trust: 0.9, status: "active" },
};

/** Trust and status a new record of this author starts with. */
export function standingOf(author: Authorship): Standing {
  return STANDINGS[author];
}
