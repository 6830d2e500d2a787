import type { References } from "../../../ports/references.ts";
import type { FaLevel } from "../../engine.ts";
import {
  better,
  extrasOf,
  fix,
  isPlausible,
  locate,
  type Pass,
  review,
  showFile,
  slice,
  type Tried,
  type Work,
} from "./assembly-line.ts";
import type { Extra } from "./bug.ts";
import { focus, lookUp, summarize } from "./surroundings.ts";

/** What a level adds to the one below it (papers §3.4). */
interface Level {
  /** Files beyond the bug's own whose functions are summarized. */
  readonly repository: boolean;
  /** The file's summary, a slice of it, and FixerPro. */
  readonly file: boolean;
}

export const LEVELS: Readonly<Record<FaLevel, Level>> = {
  1: { repository: false, file: false },
  2: { repository: false, file: true },
  3: { repository: true, file: true },
};

/** One level from the original file on (papers G21). Null when the file cannot be made to fit a prompt. */
export async function runLevel(level: FaLevel, work: Work, references: References): Promise<Pass | null> {
  const { repository, file } = LEVELS[level];
  const whole = await showFile(work);
  if (whole === null) return null;
  const found = repository ? await explore(work, references) : { extras: [], files: [] };
  const before = extrasOf(work.bug, found.extras);
  const [summaries, shown] = file
    ? await Promise.all([summarize(work, [work.bug.file, ...found.files]), slice(work, whole, before)])
    : ["", whole];
  const extras = extrasOf(work.bug, [...found.extras, { name: "summaries", text: summaries }]);
  const marked = await locate(work, shown, extras);
  const tried = await fix(work, { shown, marked, extras });
  const pass = { shown, marked, extras, tried };
  // A first-level patch that passes is taken as it is; above, FixerPro has a look (papers G23).
  return file ? { ...pass, tried: await review(work, pass) } : pass;
}

async function explore(
  work: Work,
  references: References,
): Promise<{ readonly extras: readonly Extra[]; readonly files: readonly string[] }> {
  const [reference, files] = await Promise.all([lookUp(work, references), focus(work)]);
  return { extras: reference === null ? [] : [reference], files };
}

/** Stations a refinement begins at, in reverse order of the line: errors made early are carried on (papers §3.4). */
const REFINEMENTS: readonly ((work: Work, pass: Pass) => Promise<Pass>)[] = [
  async (work, pass) => ({ ...pass, tried: await review(work, pass) }),
  async (work, pass) => reviewed(work, { ...pass, tried: await fix(work, pass) }),
  async (work, pass) => {
    const marked = await locate(work, pass.shown, pass.extras);
    return reviewed(work, { ...pass, marked, tried: await fix(work, { ...pass, marked }) });
  },
  async (work, pass) => {
    const whole = await showFile(work);
    const shown = whole === null ? pass.shown : await slice(work, whole, pass.extras);
    const marked = await locate(work, shown, pass.extras);
    return reviewed(work, { ...pass, shown, marked, tried: await fix(work, { ...pass, shown, marked }) });
  },
];

async function reviewed(work: Work, pass: Pass): Promise<Pass> {
  return { ...pass, tried: await review(work, pass) };
}

/** Takes the line up again from its end backwards, as deep as the switches say; the best patch that was seen. */
export async function refine(work: Work, last: Pass): Promise<Tried | null> {
  let pass = last;
  let best = last.tried;
  for (const step of REFINEMENTS.slice(0, work.switches.refine)) {
    if (isPlausible(best) || work.isOver()) return best;
    pass = await step(work, pass);
    if (pass.tried !== null) best = better(best, pass.tried);
  }
  return best;
}
