import type { BlameAvailability, BlameCommit, FaultLocation } from "../../domain/fault.ts";
import type { CommitFacts, History } from "../../ports/history.ts";
import { nearestLine, saysNothing } from "./nearest-line.ts";

/** A located line and the commit that last touched it. */
export interface BlamedPlace {
  readonly file: string;
  readonly line: number;
  readonly text: string;
  readonly sha: string;
}

export interface Blamed {
  readonly availability: BlameAvailability;
  /** Best first: those of the failing pull request, then in the order of the locations. */
  readonly commits: readonly (BlameCommit & { readonly facts: CommitFacts })[];
  readonly places: readonly BlamedPlace[];
}

export interface BlameParts {
  readonly history: History;
  /** The failing commit: lines are counted in its files. */
  readonly commit: string;
  /** Commits of the failing pull request; empty when they are not known. */
  readonly inPr: ReadonlySet<string>;
  /** Look above an insertion, where no located line exists (switch `blamelessFallback`). */
  readonly fallback: boolean;
  /** Leave out what `.git-blame-ignore-revs` lists and what only reformats, and look past it (papers §2.3, 5 and 6). */
  readonly hygiene: boolean;
}

export const NOT_BLAMED: Blamed = { availability: "none", commits: [], places: [] };

const MASS_FILES = 200; // papers §2.3: a commit of more files formats, moves or imports
const PASSES = 4; // looks past so many layers of reformatting
const MOST_IGNORED = 500; // revisions of a file of ignored ones; each costs an argument
const MOST_LINES = 120; // of all locations together: a judge reads them

interface Asked {
  readonly file: string;
  readonly ranges: readonly { readonly start: number; readonly end: number }[];
  readonly lines: readonly string[];
}

/** Who last touched the located lines (papers §2.3): the union over all of them. Rejects with GitFailed. */
export async function blameLocations(locations: readonly FaultLocation[], parts: BlameParts): Promise<Blamed> {
  const files = await readFiles(locations, parts);
  const blameable = asked(locations, files, blameableRange);
  if (blameable.length > 0) return blameFiles("blameable", blameable, locations, parts);
  if (!parts.fallback) return NOT_BLAMED;
  const near = asked(locations, files, (location, lines) => {
    const line = nearestLine(lines, location.range.start);
    return line === null ? null : { start: line, end: line };
  });
  return near.length === 0 ? NOT_BLAMED : blameFiles("blameless_fallback", near, locations, parts);
}

async function readFiles(
  locations: readonly FaultLocation[],
  { history, commit }: BlameParts,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const files = new Map<string, readonly string[]>();
  for (const { file } of locations) {
    if (files.has(file)) continue;
    const text = await history.read(commit, file);
    if (text !== null) files.set(file, text.split("\n"));
  }
  return files;
}

function asked(
  locations: readonly FaultLocation[],
  files: ReadonlyMap<string, readonly string[]>,
  rangeOf: (location: FaultLocation, lines: readonly string[]) => { start: number; end: number } | null,
): readonly Asked[] {
  const found = new Map<string, { file: string; ranges: { start: number; end: number }[]; lines: readonly string[] }>();
  let left = MOST_LINES;
  for (const location of locations) {
    const lines = files.get(location.file);
    const range = lines === undefined ? null : rangeOf(location, lines);
    if (lines === undefined || range === null || left <= 0) continue;
    const end = Math.min(range.end, range.start + left - 1);
    left -= end - range.start + 1;
    const one = found.get(location.file) ?? { file: location.file, ranges: [], lines };
    one.ranges.push({ start: range.start, end });
    found.set(location.file, one);
  }
  return [...found.values()];
}

/** Lines of the location that are there and say something; null when there are none. */
function blameableRange(
  { range, insertion }: FaultLocation,
  lines: readonly string[],
): { start: number; end: number } | null {
  if (insertion === true) return null;
  const there = Array.from({ length: Math.max(0, range.end - range.start + 1) }, (_, at) => range.start + at);
  const said = there.filter((line) => line >= 1 && !saysNothing(lines[line - 1]));
  const [first] = said;
  return first === undefined ? null : { start: first, end: said.at(-1) ?? first };
}

async function blameFiles(
  availability: BlameAvailability,
  files: readonly Asked[],
  locations: readonly FaultLocation[],
  parts: BlameParts,
): Promise<Blamed> {
  const listed = parts.hygiene ? await ignoredRevisions(parts) : [];
  const facts = new Map<string, CommitFacts>();
  const passed = new Set(listed);
  for (let pass = 1; ; pass++) {
    const places = inOrder(await blameOnce(files, [...passed], parts), locations);
    for (const { sha } of places) if (!facts.has(sha)) facts.set(sha, await parts.history.facts(sha));
    const mass = parts.hygiene ? [...facts.values()].filter((one) => isMass(one) && !passed.has(one.sha)) : [];
    if (mass.length === 0 || pass >= PASSES) return gather(availability, places, facts, passed, parts);
    for (const { sha } of mass) passed.add(sha);
  }
}

/** As the locations are ranked, lines of one location from the top. */
function inOrder(places: readonly Place[], locations: readonly FaultLocation[]): readonly Place[] {
  const rank = ({ file, line }: Place): number => {
    const at = locations.findIndex((one) => one.file === file && one.range.start <= line && line <= one.range.end);
    return at === -1 ? locations.findIndex((one) => one.file === file) : at;
  };
  return [...places].sort((a, b) => rank(a) - rank(b) || a.line - b.line);
}

function isMass({ files, whitespaceOnly, parent }: CommitFacts): boolean {
  // The first commit of a project brings everything and formats nothing.
  return parent !== null && (files.length > MASS_FILES || whitespaceOnly);
}

type Place = BlamedPlace & { readonly path: string };

async function blameOnce(
  files: readonly Asked[],
  ignored: readonly string[],
  { history, commit }: BlameParts,
): Promise<readonly Place[]> {
  const places: Place[] = [];
  for (const { file, ranges, lines } of files) {
    for (const { line, sha, path, boundary } of await history.blame(commit, file, ranges, ignored)) {
      // Where a shallow clone ends nobody knows who wrote a line (papers §2.3, 5).
      if (!boundary) places.push({ file, line, text: lines[line - 1] ?? "", sha, path });
    }
  }
  return places;
}

function gather(
  availability: BlameAvailability,
  all: readonly Place[],
  facts: ReadonlyMap<string, CommitFacts>,
  passed: ReadonlySet<string>,
  { inPr, hygiene }: BlameParts,
): Blamed {
  // What cannot be looked past stays with the commit that only reformats it: no history.
  const places = all.filter(({ sha }) => !passed.has(sha));
  const commits = [...new Set(places.map(({ sha }) => sha))].flatMap((sha) => {
    const known = facts.get(sha);
    const own = places.filter((place) => place.sha === sha);
    const [first] = own;
    if (known === undefined || first === undefined) return [];
    const { date, message } = known;
    const lines = own.map(({ line }) => line);
    return [{ sha, date, message, pathAtCommit: first.path, lines, inPr: inPr.has(sha), facts: known }];
  });
  const ordered = hygiene ? [...commits.filter((one) => one.inPr), ...commits.filter((one) => !one.inPr)] : commits;
  return ordered.length === 0
    ? NOT_BLAMED
    : {
        availability,
        commits: ordered,
        places: places.map(({ file, line, text, sha }) => ({ file, line, text, sha })),
      };
}

async function ignoredRevisions({ history, commit }: BlameParts): Promise<readonly string[]> {
  const text = (await history.read(commit, ".git-blame-ignore-revs")) ?? "";
  return (text.match(/^[0-9a-f]{40}(?:[0-9a-f]{24})?(?=\s|$)/gm) ?? []).slice(0, MOST_IGNORED);
}
