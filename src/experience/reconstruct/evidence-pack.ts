import type { Evidence, Validation } from "../../domain/evidence.ts";
import type { EpisodeCommit, EvidenceItem, EvidenceKind, LineRange } from "../../domain/experience.ts";
import { redact } from "../../text/redact.ts";
import type { HunkFate } from "./commit-fates.ts";
import type { FailureGroup } from "./failure-groups.ts";
import { type DeltaHunk, refOf } from "./split-delta.ts";

// papers §11: what one piece of evidence may hold.
const MOST_CHARACTERS = 8_000;

/** Everything of one episode that a claim can point to, by id. Texts are redacted: the pack goes to models and stores. */
export class EvidencePack {
  private readonly items = new Map<string, EvidenceItem>();

  add(id: string, kind: EvidenceKind, text: string, locator: string): void {
    this.items.set(id, { id, kind, text: redact(text).slice(0, MOST_CHARACTERS), locator });
  }

  get(id: string): EvidenceItem | null {
    return this.items.get(id) ?? null;
  }

  all(): readonly EvidenceItem[] {
    return [...this.items.values()];
  }

  /** Those with these ids, in the order of the ids. */
  some(ids: Iterable<string>): readonly EvidenceItem[] {
    return [...new Set(ids)].flatMap((id) => this.items.get(id) ?? []);
  }
}

/** `L-f1` log of a failure, `S-v1` what a validation came to, `H1` hunks of the
 * final patch, `K1` hunks of commits, `C1` commits. */
export function packOf(input: {
  readonly evidence: Evidence;
  readonly groups: readonly FailureGroup[];
  readonly delta: readonly DeltaHunk[];
  readonly commits: readonly EpisodeCommit[];
  readonly commitHunks: readonly HunkFate[];
}): EvidencePack {
  const pack = new EvidencePack();
  for (const { failures } of input.groups) {
    for (const failure of failures) {
      const where = `${failure.source}:${failure.lines[0] ?? 1}`;
      pack.add(logId(failure.id), "log", failure.excerpt === "" ? failure.message : failure.excerpt, where);
    }
  }
  for (const validation of input.evidence.validations) addValidation(pack, validation);
  for (const hunk of input.delta) pack.add(hunk.ref.id, "hunk", hunkText(hunk), placeOf(hunk));
  input.commitHunks.forEach(({ hunk, fate }, index) => {
    const lines = hunk.hunk.lines.filter(({ kind }) => kind !== "context");
    const ref = { id: hunkId(index), ...refOf(hunk.file, lines, hunk.commit, fate) };
    pack.add(ref.id, "hunk", hunkText({ ref, lines, file: hunk.file }), `${hunk.commit}:${hunk.path}`);
  });
  input.commits.forEach(({ sha, subject }, index) => {
    pack.add(commitId(index), "commit", `${sha}\n${subject}`, sha);
  });
  return pack;
}

/** The evidence id of a failure's log lines. */
export function logId(failure: string): string {
  return `L-${failure}`;
}

/** The evidence id of the commit at that place. */
export function commitId(index: number): string {
  return `C${index + 1}`;
}

function addValidation(pack: EvidencePack, { id, status, unreachedBecause, job, step, command }: Validation): void {
  const where = `${job ?? "job"} / ${step?.name ?? "step"}`;
  const because = unreachedBecause === null ? "" : ` (${unreachedBecause})`;
  pack.add(`S-${id}`, "step_status", `${where}: ${status}${because}\n${command}`, where);
}

/** The evidence id of a hunk of a commit, by its place among all of them. */
export function hunkId(index: number): string {
  return `K${index + 1}`;
}

/** A hunk as a patch shows it, without lines of context. */
export function hunkText({ ref, lines, file }: Pick<DeltaHunk, "ref" | "lines" | "file">): string {
  const head = `${ref.oldPath === null ? "" : `${ref.oldPath} → `}${ref.path}`;
  if (lines.length === 0) return `${head} (${file.binary ? "binary" : file.status}${modeText(file)})`;
  const body = lines.map(({ kind, text }) => `${kind === "added" ? "+" : "-"}${text}`).join("\n");
  return `${head} @@ ${rangeText("-", ref.oldRange)} ${rangeText("+", ref.newRange)} @@\n${body}`;
}

function modeText({ oldMode, newMode }: DeltaHunk["file"]): string {
  return oldMode !== newMode && oldMode !== null && newMode !== null ? `, mode ${oldMode} → ${newMode}` : "";
}

function rangeText(mark: string, range: LineRange | null): string {
  return range === null ? `${mark}0,0` : `${mark}${range.start},${range.end - range.start + 1}`;
}

function placeOf({ ref }: DeltaHunk): string {
  const range = ref.newRange ?? ref.oldRange;
  return range === null ? ref.path : `${ref.path}:${range.start}-${range.end}`;
}
