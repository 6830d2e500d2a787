import type { ExperienceRecord } from "./experience.ts";
import { type Comparable, comparable } from "./similarity.ts";

// papers §1.9: the strategy and its first actions.
const ACTIONS = 3;

/** A record as the similarity S sees it. */
export function comparedRecord(record: ExperienceRecord): Comparable {
  switch (record.level) {
    case "L1": {
      const { p, a, r } = record.body.z;
      return comparable({
        problem: p.statement.value,
        rootCause: p.rootCause?.value ?? "",
        files: a.map(({ path }) => path),
        type: p.category,
        fix: r.operations
          .slice(0, ACTIONS)
          .map(({ value }) => value)
          .join(" "),
        symbols: a.flatMap(({ symbols }) => symbols),
      });
    }
    case "L2": {
      const { failureIdentify, causalChain, summary, keyActions } = record.body;
      return comparable({
        problem: failureIdentify,
        rootCause: causalChain,
        files: [],
        type: record.meta.category,
        fix: [summary, ...keyActions.slice(0, ACTIONS)].join(" "),
        symbols: [],
      });
    }
    case "L3": {
      const { failurePattern, mechanism, principles } = record.body;
      return comparable({
        problem: failurePattern,
        rootCause: mechanism,
        files: [],
        type: record.meta.category,
        fix: principles.slice(0, ACTIONS).join(" "),
        symbols: [],
      });
    }
  }
}
