import { withArgs } from "./program-call.ts";
import { programOf } from "./run-program.ts";
import type { ShellWord } from "./shell-words.ts";

/** How a checking command becomes a fixing one: paths and options stay, only the mode changes. */
export interface ArgChange {
  readonly programs: readonly string[];
  /** First words of the arguments, e.g. [`ruff`'s `format`]; the change applies to this subcommand only. */
  readonly subcommand?: readonly string[];
  /** Takes the place of the subcommand: `biome ci` → `biome check`. */
  readonly becomes?: readonly string[];
  /** Options that only check. */
  readonly drop?: RegExp;
  /** The same, with a value in the next word or behind `=`. */
  readonly dropValued?: RegExp;
  /** Options that fix, put where the first dropped one stood, else behind the subcommand or (`append`) at the end. */
  readonly add?: readonly string[];
  readonly append?: boolean;
  /** Without one of the dropped options this form prints or fixes and does not check: there is nothing to change. */
  readonly needsDrop?: boolean;
  /** The command fixes already. */
  readonly unless?: RegExp;
}

/** The command with its arguments changed by the first change that fits, or null when none does. */
export function changeArgs(command: string, changes: readonly ArgChange[]): string | null {
  const call = programOf(command);
  if (call === null) return null;
  const change = changes.find(
    ({ programs, subcommand = [] }) =>
      programs.includes(call.program) && subcommand.every((word, at) => call.args[at]?.value === word),
  );
  const args = change === undefined ? null : applyChange(call.args, change);
  return args === null ? null : withArgs(call, args);
}

function applyChange(all: readonly ShellWord[], change: ArgChange): readonly string[] | null {
  const { subcommand = [], becomes = subcommand, add = [], unless } = change;
  const given = all.slice(subcommand.length);
  if (unless !== undefined && given.some(({ value }) => unless.test(value))) return null;
  const { kept, firstDropped } = withoutOptions(given, change);
  if (firstDropped === null && change.needsDrop === true) return null;
  const at = firstDropped ?? (change.append === true ? endOfOptions(kept) : 0);
  return [...becomes, ...kept.slice(0, at), ...add, ...kept.slice(at)];
}

/** The words left, as written, and where among them the first dropped option stood. */
export function withoutOptions(
  words: readonly ShellWord[],
  { drop, dropValued }: Pick<ArgChange, "drop" | "dropValued">,
): { readonly kept: readonly string[]; readonly firstDropped: number | null } {
  const kept: string[] = [];
  let firstDropped: number | null = null;
  for (let at = 0; at < words.length; at++) {
    const word = words[at];
    if (word === undefined) break;
    const takesValue = dropValued?.test(word.value.replace(/=.*$/s, "")) === true;
    if (drop?.test(word.value) === true || takesValue) firstDropped ??= kept.length;
    else kept.push(word.raw);
    if (takesValue && !word.value.includes("=")) at++;
  }
  return { kept, firstDropped };
}

function endOfOptions(words: readonly string[]): number {
  const dashes = words.indexOf("--");
  return dashes === -1 ? words.length : dashes;
}
