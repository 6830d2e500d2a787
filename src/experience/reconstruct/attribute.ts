import type { EpisodePush } from "../../domain/experience.ts";
import { isEffective } from "../../domain/experience.ts";
import type { CodeView } from "./code-view.ts";
import type { FailureGroup } from "./failure-groups.ts";
import { type Link, linkOf, namesByGroup } from "./links.ts";
import type { Piece } from "./piece-facts.ts";
import { mentions, namesIn } from "./words.ts";

/** Which pieces of the patch answer which failures, without a model. */
export interface Attribution {
  readonly group: FailureGroup;
  readonly pieces: readonly { readonly piece: Piece; readonly link: Link }[];
}

export interface AttributionInput {
  readonly groups: readonly FailureGroup[];
  readonly pieces: readonly Piece[];
  readonly code: CodeView;
  /** The commits in order, each with the place of the push that brought it (from 0); null where pushes are not known. */
  readonly pushOf: ((commit: string) => number) | null;
  readonly pushes: readonly EpisodePush[];
}

// A piece goes into a repair only when it is this sure; two groups may share one only when both are surer still.
const SURE = 0.75;
const SHARED = 0.9;
const MARGIN = 0.05;

/**
 * Claims little, never lies: a piece without evidence of its own stays out of every repair, and so does one that speaks
 * for two groups alike. Commit messages, folders and mere nearness decide nothing.
 */
export function attribute(input: AttributionInput): readonly Attribution[] {
  const usable = input.pieces.filter(({ hunk }) => isEffective(hunk.ref.fate));
  const links = linkAll(input, usable);
  for (const group of input.groups) dropWeak(group, links);
  const owners = new Map<Piece, Map<FailureGroup, Link>>();
  for (const piece of usable) {
    const sure = decide(links.get(piece) ?? new Map());
    if (sure.size > 0) owners.set(piece, sure);
  }
  for (const group of input.groups) attributePush(group, owners, usable, input);
  // What a repair needs may itself need something: until nothing new is found.
  for (let round = 0; round < MOST_ROUNDS; round++) if (!extend(owners, usable, input)) break;
  const attributions = input.groups.map((group) => ({
    group,
    pieces: usable.flatMap((piece) => {
      const link = owners.get(piece)?.get(group);
      return link === undefined ? [] : [{ piece, link }];
    }),
  }));
  return foldCascades(mergeGroups(attributions));
}

const MOST_ROUNDS = 4;

function linkAll(input: AttributionInput, pieces: readonly Piece[]): Map<Piece, Map<FailureGroup, Link>> {
  const names = namesByGroup(input.groups);
  const files = new Map<string, Set<string>>();
  for (const piece of pieces) {
    for (const word of piece.words) files.set(word, (files.get(word) ?? new Set()).add(piece.path));
  }
  const links = new Map<Piece, Map<FailureGroup, Link>>();
  for (const piece of pieces) {
    const own = new Map<FailureGroup, Link>();
    for (const group of input.groups) {
      const veto = pushSays(group, piece, input);
      if (veto === "cannot-be") continue;
      const link = linkOf(group, piece, {
        code: input.code,
        names: names.get(group.id) ?? [],
        spread: (name) => files.get(name)?.size ?? 0,
        hasLines: !group.exposed,
      });
      if (link === null) continue;
      own.set(
        group,
        veto === "fits"
          ? {
              ...link,
              score: Math.max(link.score, Math.min(BESIDE_DIRECT, link.score + PUSH_BONUS)),
              why: `${link.why}; the failure was gone after its push`,
            }
          : link,
      );
    }
    links.set(piece, own);
  }
  return links;
}

// A link by the very line.
const BY_PLACE = 0.9;

/**
 * Where the very line is changed, other changes of the same function by other commits need a better reason than to lie in
 * it: they may be anything.
 */
function dropWeak(group: FailureGroup, links: ReadonlyMap<Piece, Map<FailureGroup, Link>>): void {
  const placed = [...links].filter(([, own]) => (own.get(group)?.score ?? 0) >= BY_PLACE).map(([piece]) => piece);
  if (placed.length === 0) return;
  const commits = new Set(placed.map(({ hunk }) => hunk.ref.commit));
  for (const [piece, own] of links) {
    if (own.get(group)?.byFunction === true && !commits.has(piece.hunk.ref.commit)) own.delete(group);
  }
}

// A push says when, not where: it lifts a guess over the bar, never over a reason of its own.
const PUSH_BONUS = 0.2;
const BESIDE_DIRECT = 0.8;

/** A change pushed after a failure was gone did not repair it; one pushed right before may have. */
function pushSays(
  group: FailureGroup,
  piece: Piece,
  { pushOf, pushes }: AttributionInput,
): "fits" | "cannot-be" | "nothing" {
  if (pushOf === null || pushes.length === 0 || piece.hunk.ref.commit === null) return "nothing";
  const signatures = new Set(group.failures.map(({ signature }) => signature));
  const last = pushes.findLastIndex((push) => push.signatures.some((signature) => signatures.has(signature)));
  if (group.exposed && last === -1) return "nothing";
  const at = pushOf(piece.hunk.ref.commit);
  if (at > last + 1) return "cannot-be";
  return at === last + 1 ? "fits" : "nothing";
}

/**
 * A failure that nothing else explains was gone after a push of one commit, and no other failure was: what that commit
 * changed, and no other repair claims, repaired it.
 */
function attributePush(
  group: FailureGroup,
  owners: Map<Piece, Map<FailureGroup, Link>>,
  pieces: readonly Piece[],
  input: AttributionInput,
): void {
  if (input.pushOf === null || [...owners.values()].some((own) => own.has(group))) return;
  const pushed = pieces.filter((piece) => pushSays(group, piece, input) === "fits");
  const commits = new Set(pushed.map(({ hunk }) => hunk.ref.commit));
  const others = input.groups.some(
    (other) => other !== group && pushed.some((piece) => pushSays(other, piece, input) === "fits"),
  );
  if (commits.size !== 1 || others || pushed.some((piece) => owners.has(piece))) return;
  for (const piece of pushed) {
    if (piece.role === "docs" || piece.isComment) continue;
    owners.set(piece, new Map([[group, { score: SURE, why: "CI showed the failure no more after this push" }]]));
  }
}

function decide(links: ReadonlyMap<FailureGroup, Link>): Map<FailureGroup, Link> {
  const sure = [...links].filter(([, link]) => link.score >= SURE).toSorted((a, b) => b[1].score - a[1].score);
  const [first, second] = sure;
  if (first === undefined) return new Map();
  if (second === undefined || first[1].score - second[1].score > MARGIN) return new Map([first]);
  const shared = sure.filter(([, link]) => link.score >= SHARED || isOneCause(link, first[1]));
  return new Map(shared.length > 0 && shared.includes(first) ? shared : []);
}

/** Several tests that call one function fail for one reason. */
function isOneCause(link: Link, first: Link): boolean {
  return (
    link.why === first.why || /^the failing test calls/.test(link.why) === /^the failing test calls/.test(first.why)
  );
}

/* ------------------------------------------------------------------ what a repair needs */

function extend(
  owners: Map<Piece, Map<FailureGroup, Link>>,
  pieces: readonly Piece[],
  input: AttributionInput,
): boolean {
  let grew = false;
  for (const piece of pieces) {
    if (owners.has(piece) || piece.role === "docs" || piece.isLayout) continue;
    const found = RELATED.flatMap((relation) => relation(piece, owners, pieces) ?? [])[0];
    if (found === undefined || pushSays(found.group, piece, input) === "cannot-be") continue;
    owners.set(piece, new Map([[found.group, found.link]]));
    grew = true;
  }
  return grew;
}

type Relation = (
  piece: Piece,
  owners: ReadonlyMap<Piece, ReadonlyMap<FailureGroup, Link>>,
  pieces: readonly Piece[],
) => { readonly group: FailureGroup; readonly link: Link } | null;

/** It brings in a name (an import, a function, a constant) that one repair uses and nothing else in the patch does. */
const isNeeded: Relation = (piece, owners, pieces) => {
  const brought = broughtBy(piece);
  if (brought.length === 0) return null;
  const isUser = (other: Piece, name: string): boolean =>
    mentions(other.after, name) && !broughtBy(other).includes(name);
  const users = pieces.filter((other) => other !== piece && brought.some((name) => isUser(other, name)));
  return onlyGroup(
    users,
    owners,
    (user) => `${user.id} uses ${brought.find((name) => mentions(user.after, name))}, which it brings`,
  );
};

/** It takes away an import whose only use the repair took away. */
const isLeftOver: Relation = (piece, owners, pieces) => {
  if (piece.after.trim() !== "" || !/\b(?:import|require|use|from)\b/.test(piece.before)) return null;
  const names = namesIn(piece.before.replace(/["'][^"']*["']/g, ""));
  const users = pieces.filter(
    (other) =>
      other !== piece &&
      other.path === piece.path &&
      names.some((name) => mentions(other.before, name) && !mentions(other.after, name)),
  );
  return onlyGroup(users, owners, (user) => `${user.id} took away the only use of what it imports`);
};

/** The same names give way to the same names, as in the repair. */
const isSameRenaming: Relation = (piece, owners, pieces) => {
  const renaming = renamingOf(piece);
  if (renaming === null) return null;
  const alike = pieces.filter((other) => other !== piece && renamingOf(other) === renaming);
  return onlyGroup(alike, owners, (other) => `it makes the same renaming as ${other.id}`);
};

// One edit that git shows in two parts because a line between them stayed the same.
const SAME_EDIT_LINES = 3;

/** A part of one edit: the same commit, the same function, a few lines apart. */
const isSameEdit: Relation = (piece, owners, pieces) => {
  const inner = piece.definitions[0]?.name;
  const { commit } = piece.hunk.ref;
  if (inner === undefined || commit === null || piece.place === null || piece.role !== "source") return null;
  const near = pieces.filter(
    (other) =>
      other !== piece &&
      other.path === piece.path &&
      other.hunk.ref.commit === commit &&
      other.definitions[0]?.name === inner &&
      gap(piece, other) <= SAME_EDIT_LINES,
  );
  return onlyGroup(near, owners, (other) => `it is one edit of ${inner} with ${other.id}`);
};

const RELATED: readonly Relation[] = [isNeeded, isLeftOver, isSameRenaming, isSameEdit];

function onlyGroup(
  related: readonly Piece[],
  owners: ReadonlyMap<Piece, ReadonlyMap<FailureGroup, Link>>,
  why: (piece: Piece) => string,
): { readonly group: FailureGroup; readonly link: Link } | null {
  const groups = new Set(related.flatMap((piece) => [...(owners.get(piece)?.keys() ?? [null])]));
  const [group] = groups;
  const [first] = related;
  if (groups.size !== 1 || group === null || group === undefined || first === undefined) return null;
  return { group, link: { score: SURE, why: why(first) } };
}

const BRINGS = [
  /\b(?:function|class|interface|type|enum|const|let|var|def|fn|struct|trait|func)\s+\*?(?:\([^)]*\)\s*)?([A-Za-z_$][\w$]*)/g,
  /\bimport\s+(?:type\s+)?\{([^}]*)\}/g,
  /\bimport\s+(?:type\s+)?([A-Za-z_$][\w$]*)\s+from\b/g,
  /^\s*(?:from\s+\S+\s+)?import\s+([\w, ]+)$/gm,
  /\b(?:const|let|var)\s+\{([^}]*)\}\s*=\s*require/g,
];

/** Names that the piece newly makes known in its file. */
function broughtBy({ before, after }: Piece): readonly string[] {
  const names = BRINGS.flatMap((pattern) => [...after.matchAll(pattern)].flatMap((match) => namesIn(match[1] ?? "")));
  return [...new Set(names)].filter((name) => !mentions(before, name));
}

/** `old→new` pairs when a piece differs in names only; null when it differs otherwise. */
function renamingOf({ before, after }: Piece): string | null {
  const split = (text: string): string[] => text.match(/[A-Za-z_$][\w$]*|[^\sA-Za-z_$]/g) ?? [];
  const [old, young] = [split(before), split(after)];
  if (old.length === 0 || old.length !== young.length) return null;
  const pairs = new Set<string>();
  for (const [index, token] of old.entries()) {
    const other = young[index] ?? "";
    if (token === other) continue;
    if (!/^[A-Za-z_$][\w$]{2,}$/.test(token) || !/^[A-Za-z_$][\w$]{2,}$/.test(other)) return null;
    pairs.add(`${token}→${other}`);
  }
  return pairs.size === 0 ? null : [...pairs].toSorted().join(" ");
}

function gap(a: Piece, b: Piece): number {
  if (a.place === null || b.place === null) return Number.POSITIVE_INFINITY;
  return Math.max(a.place.first - b.place.last, b.place.first - a.place.last, 0);
}

/* ------------------------------------------------------------------ one cause, many failures */

// Half of what two groups were repaired by being the same makes them one problem.
const SAME_REPAIR_SHARE = 0.5;

/** What no change speaks for alone, and seems to follow from another failure, went away with that one. */
function foldCascades(attributions: readonly Attribution[]): readonly Attribution[] {
  const folded = [...attributions];
  for (const one of attributions) {
    const causes = new Set(one.group.failures.flatMap(({ cascadeOf }) => cascadeOf ?? []));
    if (one.pieces.length > 0 || causes.size === 0) continue;
    const at = folded.findIndex(
      (other) => other !== one && other.pieces.length > 0 && other.group.failures.some(({ id }) => causes.has(id)),
    );
    const root = folded[at];
    if (root === undefined) continue;
    folded[at] = { ...root, group: { ...root.group, failures: [...root.group.failures, ...one.group.failures] } };
    folded.splice(folded.indexOf(one), 1);
  }
  return folded;
}

/** Groups of one validation that the same change repaired are one problem. */
function mergeGroups(attributions: readonly Attribution[]): readonly Attribution[] {
  const merged: Attribution[] = [];
  for (const one of attributions) {
    const same = merged.findIndex((other) => isSameRepair(other, one));
    const other = merged[same];
    if (other === undefined) {
      merged.push(one);
      continue;
    }
    const known = new Set(other.pieces.map(({ piece }) => piece));
    merged[same] = {
      group: { ...other.group, failures: [...other.group.failures, ...one.group.failures] },
      pieces: [...other.pieces, ...one.pieces.filter(({ piece }) => !known.has(piece))],
    };
  }
  return merged;
}

function isSameRepair(a: Attribution, b: Attribution): boolean {
  if (a.group.validation?.id !== b.group.validation?.id || a.pieces.length === 0 || b.pieces.length === 0) return false;
  const known = new Set(a.pieces.map(({ piece }) => piece));
  const shared = b.pieces.filter(({ piece }) => known.has(piece)).length;
  return shared / (a.pieces.length + b.pieces.length - shared) >= SAME_REPAIR_SHARE;
}
