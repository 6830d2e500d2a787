import type { Workbench } from "../../../agent/workbench.ts";
import type { FaultLocation } from "../../../domain/fault.ts";
import type { TreeId } from "../../../ports/git.ts";
import { type Definition, outline } from "../../../text/code-outline.ts";
import type { RepairTask } from "../../engine.ts";

/** A function that is traced and rewritten as a whole (papers §4.6). */
export interface TargetFunction {
  readonly id: string;
  readonly file: string;
  readonly fn: string;
  readonly range: { readonly start: number; readonly end: number };
  /** Its whole lines, without the last line end. */
  readonly original: string;
  /** The text of its file. */
  readonly source: string;
}

export const MOST_TARGETS = 3; // papers G34
const TEST_FILE = /(?:^|\/)(?:tests?|__tests__|spec)\/|[._-](?:test|spec)\.\w+$|(?:^|\/)test_[^/]*\.py$|_test\.\w+$/;

/** The functions that the fault may lie in, best first, at most three; tests are none. The located ones, then those of the engine before. */
export async function findTargets(
  task: RepairTask,
  start: TreeId,
  { copy }: Workbench,
): Promise<readonly TargetFunction[]> {
  const fromLog: FaultLocation[] = task.failures.flatMap(({ stack, location }) =>
    [...stack, ...(location === null ? [] : [location])].flatMap(({ file, line }) =>
      line === null ? [] : [{ file, range: { start: line, end: line }, fn: null, source: "stack", score: 0 } as const],
    ),
  );
  const known = new Map<string, { readonly text: string; readonly definitions: readonly Definition[] } | null>();
  const found: TargetFunction[] = [];
  for (const place of [...task.context.locations, ...(task.context.handOff?.located ?? []), ...fromLog]) {
    if (found.length >= MOST_TARGETS) break;
    if (TEST_FILE.test(place.file)) continue;
    if (!known.has(place.file)) {
      const text = await copy.read(start, place.file);
      known.set(place.file, text === null ? null : { text, definitions: outline(place.file, text) });
    }
    const file = known.get(place.file);
    const definition = file && functionAround(file.definitions, place);
    if (!file || !definition) continue;
    const target = targetOf(place.file, file.text, definition, found.length + 1);
    if (!found.some((other) => overlap(other, target))) found.push(target);
  }
  return found;
}

/** A function by name, as a model names it; null when the file has none of that name. */
export function namedTarget(file: string, text: string, fn: string, number: number): TargetFunction | null {
  const name =
    fn
      .split(/[.:#]+/)
      .at(-1)
      ?.replace(/\(.*$/, "") ?? "";
  const definition = outline(file, text).find((one) => one.name === name && isFunction(one));
  return definition === undefined || TEST_FILE.test(file) ? null : targetOf(file, text, definition, number);
}

export function overlap(a: TargetFunction, b: TargetFunction): boolean {
  return a.file === b.file && a.range.start <= b.range.end && b.range.start <= a.range.end;
}

/** The outermost function around a place: a value that is a function is one, a single constant is not. */
function functionAround(definitions: readonly Definition[], { range, fn }: FaultLocation): Definition | null {
  const around = definitions.filter((one) => isFunction(one) && one.start <= range.start && one.end >= range.start);
  const named = around.find(({ name }) => name === fn);
  return named ?? around[0] ?? null;
}

function isFunction({ kind, start, end }: Definition): boolean {
  return kind === "function" || (kind === "value" && end >= start);
}

function targetOf(file: string, source: string, { name, start, end }: Definition, number: number): TargetFunction {
  const original = source
    .split("\n")
    .slice(start - 1, end)
    .join("\n");
  return { id: `M${number}`, file, fn: name, range: { start, end }, original, source };
}

/** The files as they are with these functions in place of the originals. */
export function withMethods(
  targets: readonly TargetFunction[],
  methods: ReadonlyMap<string, string>,
): readonly { readonly path: string; readonly text: string }[] {
  const texts = new Map<string, string[]>();
  // From the end of a file to its beginning: lines further up keep their numbers.
  for (const target of [...targets].sort((a, b) => b.range.start - a.range.start)) {
    const lines = texts.get(target.file) ?? target.source.split("\n");
    const method = methods.get(target.id);
    const { start, end } = target.range;
    if (method !== undefined) lines.splice(start - 1, end - start + 1, ...fitted(method, target).split("\n"));
    texts.set(target.file, lines);
  }
  return [...texts].map(([path, lines]) => ({ path, text: lines.join("\n") }));
}

/** Models put code into fences and take the outer indentation away. */
function fitted(method: string, { original }: TargetFunction): string {
  const bare = method.replace(/^\s*```[\w-]*\n([\s\S]*?)\n?```\s*$/, "$1").replace(/^(?:[ \t]*\n)+|\s+$/g, "");
  const missing = indentOf(original).slice(indentOf(bare).length);
  if (!original.startsWith(missing) || missing === "") return bare;
  return bare
    .split("\n")
    .map((line) => (line.trim() === "" ? line : missing + line))
    .join("\n");
}

function indentOf(text: string): string {
  return /^[ \t]*/.exec(text)?.[0] ?? "";
}
