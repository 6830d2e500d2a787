import type { LineRange } from "../../domain/experience.ts";
import type { FaultLocation } from "../../domain/fault.ts";
import type { Switches } from "../../domain/switches.ts";
import { functionAt, functionsOf } from "../history/functions.ts";
import { configKeys } from "./config-keys.ts";
import { fromDiagnostics, fromStacks } from "./from-log.ts";
import { fromTests } from "./from-tests.ts";
import { FileTexts, type LocalizeInput } from "./input.ts";
import { besideChanges, changedPlaces } from "./pull-request.ts";

/** A place as an experiment labels it. */
export interface LabelledPlace {
  readonly file: string;
  readonly range: LineRange;
  readonly insertion?: boolean;
}

const MOST_LOCATIONS = 12; // papers §2.2

/**
 * Where the fault may lie, from what CI shows (papers §2.2): diagnostics, stack frames, failing tests and what they call,
 * configuration keys, raised where the failing pull request wrote; best first, at most twelve.
 */
export async function localize(input: LocalizeInput): Promise<readonly FaultLocation[]> {
  const files = new FileTexts(input.read);
  const found = [
    ...fromDiagnostics(input),
    ...fromStacks(input),
    ...(await fromTests(input, files)),
    ...(await configKeys(input, files)),
  ];
  const all = [...besideChanges(found, input), ...changedPlaces(found, input)];
  const best = distinct([...all].sort((a, b) => b.score - a.score)).slice(0, MOST_LOCATIONS);
  return Promise.all(best.map((location) => within(location, files)));
}

/**
 * Labelled places as the papers' arms take them: `line` as they are, `method` widened to the whole function around each. With
 * `ci` there are none to take.
 */
export async function labelled(
  places: readonly LabelledPlace[],
  arm: Switches["localization"],
  read: LocalizeInput["read"],
): Promise<readonly FaultLocation[]> {
  const files = new FileTexts(read);
  const located = await Promise.all(
    places.map((place) => within({ ...place, fn: null, source: "labelled", score: 1 }, files)),
  );
  if (arm !== "method") return located;
  const whole = await Promise.all(located.map((location) => widened(location, files)));
  return distinct(whole);
}

/** With the function that holds it, its range no longer than the file. */
async function within(location: FaultLocation, files: FileTexts): Promise<FaultLocation> {
  const text = await files.read(location.file);
  const { start } = location.range;
  if (text === null) return location;
  const lines = text.replace(/\n$/, "").split("\n").length;
  const range = { start, end: Math.max(start, Math.min(location.range.end, lines)) };
  const insertion = start > lines ? { insertion: true } : {};
  const fn = location.fn ?? functionAt(functionsOf(location.file, text), start)?.name ?? null;
  return { ...location, range, fn, score: Math.min(1, Number(location.score.toFixed(3))), ...insertion };
}

async function widened(location: FaultLocation, files: FileTexts): Promise<FaultLocation> {
  const text = await files.read(location.file);
  const found = text === null ? null : functionAt(functionsOf(location.file, text), location.range.start);
  if (found === null) return location;
  const { insertion, ...whole } = location;
  return { ...whole, range: { start: found.start, end: found.end } };
}

/** The first of each place stays; so does a line where a later one is the whole function around it. */
function distinct(locations: readonly FaultLocation[]): readonly FaultLocation[] {
  const kept: FaultLocation[] = [];
  for (const one of locations) {
    const known = kept.some(
      ({ file, range }) => file === one.file && one.range.start <= range.start && range.end <= one.range.end,
    );
    if (!known) kept.push(one);
  }
  return kept;
}
