import { type CodeView, importsFile } from "./code-view.ts";
import type { Piece } from "./piece-facts.ts";
import { isHub } from "./roles.ts";
import { mentions } from "./words.ts";

/** Pieces that are one change as far as a reader can tell: what a model assigns as a whole (papers §8.3). */
export interface TightUnit {
  readonly id: string;
  readonly pieces: readonly Piece[];
}

export interface UnitRelation {
  readonly from: string;
  readonly to: string;
  readonly kind: "import" | "definition_use" | "test_source" | "lockfile" | "snapshot";
}

const NEAR_LINES = 40; // papers §8.3

/** Pieces of one file in one function, or near each other outside of any; in hub files every piece stays alone. */
export function tightUnits(pieces: readonly Piece[]): readonly TightUnit[] {
  const groups: Piece[][] = [];
  for (const piece of pieces) {
    const open = isHub(piece.path)
      ? undefined
      : groups.find((group) => group.every((other) => isOneChange(other, piece)));
    if (open === undefined) groups.push([piece]);
    else open.push(piece);
  }
  return groups.map((group, index) => ({ id: `U${index + 1}`, pieces: group }));
}

function isOneChange(a: Piece, b: Piece): boolean {
  if (a.path !== b.path || a.hunk.ref.commit !== b.hunk.ref.commit) return false;
  if (a.definitions[0]?.name !== b.definitions[0]?.name) return false;
  if (a.place === null || b.place === null) return true;
  return Math.max(a.place.first - b.place.last, b.place.first - a.place.last) <= NEAR_LINES;
}

/** What hangs together in the patch: context for a reader, never a reason by itself. Nothing is chained through hub files. */
export function relationsOf(units: readonly TightUnit[], code: CodeView): readonly UnitRelation[] {
  const relations: UnitRelation[] = [];
  for (const from of units) {
    for (const to of units) {
      const kind = from === to ? null : relationOf(from, to, code);
      if (kind !== null) relations.push({ from: from.id, to: to.id, kind });
    }
  }
  return relations;
}

function relationOf(from: TightUnit, to: TightUnit, code: CodeView): UnitRelation["kind"] | null {
  const [a, b] = [from.pieces[0], to.pieces[0]];
  if (a === undefined || b === undefined) return null;
  const folder = (path: string): string => path.slice(0, path.lastIndexOf("/") + 1);
  if (a.role === "lockfile" && b.role === "manifest" && folder(a.path) === folder(b.path)) return "lockfile";
  if (a.role === "snapshot" && b.role === "test" && mentions(a.path, stem(b.path))) return "snapshot";
  if (isHub(a.path) || isHub(b.path) || a.path === b.path) return null;
  const file = code.after(a.path) ?? code.before(a.oldPath);
  if (file === null || !importsFile(file, b.path)) return null;
  if (a.role === "test" && b.role === "source") return "test_source";
  const defined = to.pieces.flatMap(({ definitions }) => definitions.map(({ name }) => name));
  return from.pieces.some((piece) => defined.some((name) => piece.words.has(name))) ? "definition_use" : "import";
}

function stem(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}
