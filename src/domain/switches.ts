import type { EngineName } from "./attempt.ts";
import type { Level } from "./experience.ts";
import type { HistoryHeuristic } from "./fault.ts";

export const FA_ROLES = ["helper", "repofocus", "summarizer", "slicer", "locator", "fixer", "fixerpro"] as const;
export type FaRole = (typeof FA_ROLES)[number];

export const STRATEGIES = ["defensive", "causal", "semantic"] as const;
export type Strategy = (typeof STRATEGIES)[number];

/** Settings of an experiment: what a run may use (papers §7). Operators set `config.ts`, repositories `policy.ts`. */
export interface Switches {
  readonly profile: "product" | "paper";
  readonly engine: "auto" | EngineName;
  readonly localization: "line" | "method" | "ci";
  readonly experience: "none" | "historical_plan" | "retrace";
  readonly views: { readonly endpoint: boolean; readonly development: boolean };
  readonly levels: readonly Level[];
  readonly expand: { readonly dependency: boolean; readonly recurrence: boolean };
  readonly selectApplicable: boolean;
  readonly enrich: boolean;
  /** `table`: the best single heuristic for the shape of the fault (papers §2.5). */
  readonly history: "table" | HistoryHeuristic;
  /** Heuristics of later attempts at the same problem, in order; `table`: the other of the pair. */
  readonly historyRetry: "table" | readonly HistoryHeuristic[];
  readonly blamelessFallback: boolean;
  /** Failing test's words, pull request and issue text as a requirement for all engines. */
  readonly requirement: boolean;
  readonly fa: {
    readonly agents: Readonly<Record<FaRole, boolean>>;
    readonly tools: {
      readonly static: boolean;
      readonly coverage: boolean;
      readonly search: boolean;
      readonly testFeedback: boolean;
    };
    readonly maxLevel: 1 | 2 | 3;
    /** Steps of refinement, in reverse order of the line (papers G26). */
    readonly refine: 0 | 2 | 4;
    /** Rounds of `Debug(k, m)`. */
    readonly k: number;
  };
  readonly tr: {
    readonly trace: boolean;
    readonly debate: boolean;
    readonly judge: boolean;
    readonly strategies: readonly Strategy[];
    readonly n: number;
    readonly rMax: number;
    /** The trace of a failed attempt is handed to the next engine. */
    readonly shareTrace: boolean;
    /** Selected experience as a fourth input of the strategies (papers G54). */
    readonly experience: boolean;
    readonly tieBreak: "rationale" | "graded";
    readonly traceView: "tail" | "tail+first";
  };
  readonly product: {
    readonly deterministicFixers: boolean;
    readonly ciFeedback: boolean;
    readonly onlineLearning: boolean;
    readonly flakeRerun: boolean;
    readonly staleness: boolean;
    /** A restart without history when nothing was edited or tested by step 15 (papers §2.5). */
    readonly leanRestart: boolean;
    /** Blame looks past ignored and reformatting commits, and those of the failing pull request come first (papers §2.3). */
    readonly historyHygiene: boolean;
    /** Outcomes of earlier repairs may reorder a ladder (papers §12.4). */
    readonly adaptiveRouting: boolean;
    /** One more attempt of base with another view of the history or the memory (papers §12.4). */
    readonly portfolioRetry: boolean;
    /** A repair that makes things worse is taken back (papers G17). */
    readonly rollback: boolean;
  };
}

const ALL_ROLES = Object.fromEntries(FA_ROLES.map((role) => [role, true])) as Record<FaRole, boolean>;

export const PRODUCT_SWITCHES: Switches = {
  profile: "product",
  engine: "auto",
  localization: "ci",
  experience: "retrace",
  views: { endpoint: true, development: true },
  levels: ["L1", "L2", "L3"],
  expand: { dependency: true, recurrence: true },
  selectApplicable: true,
  enrich: true,
  history: "table",
  historyRetry: "table",
  blamelessFallback: true,
  requirement: true,
  // papers §14: k = 2 in the product; web search is never on unless somebody configures a source.
  fa: {
    agents: ALL_ROLES,
    tools: { static: true, coverage: true, search: true, testFeedback: true },
    maxLevel: 3,
    refine: 2,
    k: 2,
  },
  tr: {
    trace: true,
    debate: true,
    judge: true,
    strategies: STRATEGIES,
    n: 3,
    rMax: 3,
    shareTrace: false,
    experience: true,
    tieBreak: "graded",
    traceView: "tail+first",
  },
  product: {
    deterministicFixers: true,
    ciFeedback: true,
    onlineLearning: true,
    flakeRerun: true,
    staleness: true,
    leanRestart: true,
    historyHygiene: true,
    adaptiveRouting: true,
    portfolioRetry: true,
    rollback: true,
  },
};

/** What the papers ran: our own additions off (papers §0, §10). */
export const PAPER_SWITCHES: Switches = {
  ...PRODUCT_SWITCHES,
  profile: "paper",
  requirement: false,
  fa: { ...PRODUCT_SWITCHES.fa, k: 20, refine: 4 },
  tr: { ...PRODUCT_SWITCHES.tr, experience: false, tieBreak: "rationale", traceView: "tail" },
  product: {
    deterministicFixers: false,
    ciFeedback: false,
    onlineLearning: false,
    flakeRerun: false,
    staleness: false,
    leanRestart: false,
    historyHygiene: false,
    adaptiveRouting: false,
    portfolioRetry: false,
    rollback: false,
  },
};

/** The switches of a profile. */
export function switchesOf(profile: Switches["profile"]): Switches {
  return profile === "paper" ? PAPER_SWITCHES : PRODUCT_SWITCHES;
}
