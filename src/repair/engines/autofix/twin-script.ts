import type { CommandFacts, SimpleCommand } from "../../../tools/resolve-command.ts";
import { shellWords } from "../../../tools/shell-words.ts";

/** A script of the same package that fixes what the failing one checks. */
export interface TwinScript {
  readonly name: string;
  readonly command: string;
  readonly folder: string;
}

const SHORT: Readonly<Record<string, string>> = { t: "test", tst: "test" };

/** The fixing twin of the package script that led to this command: `format` beside `format:check`, `lint:fix` beside `lint`. */
export function twinScript(command: SimpleCommand, facts: CommandFacts): TwinScript | null {
  for (const call of [...command.via].reverse()) {
    const words = shellWords(call).map(({ value }) => value);
    const manager = words.find((word) => /^(?:npm|pnpm|yarn|bun)$/.test(word)) ?? "npm";
    const folder = nearestPackage(command.cwd, facts);
    if (folder === null) return null;
    const scripts = facts.packageScripts(folder) ?? {};
    const name = words.map((word) => SHORT[word] ?? word).find((word) => scripts[word] !== undefined);
    if (name === undefined) continue;
    const twin = twinNames(name).find((candidate) => isTwin(candidate, name, scripts));
    if (twin !== undefined) return { name: twin, command: `${manager} run ${twin}`, folder };
  }
  return null;
}

function nearestPackage(cwd: string, facts: CommandFacts): string | null {
  const parts = cwd === "" ? [] : cwd.split("/");
  for (let length = parts.length; length >= 0; length--) {
    const folder = parts.slice(0, length).join("/");
    if (facts.packageScripts(folder) !== null) return folder;
  }
  return null;
}

function isTwin(candidate: string, name: string, scripts: Readonly<Record<string, string>>): boolean {
  const body = scripts[candidate];
  if (body === undefined || candidate === name || body === scripts[name]) return false;
  // `format` may itself only check; its words say so.
  return !/--check\b|--list-different|--verify|\s-l\b/.test(body);
}

/** Names that repositories give the fixing script, most telling first. */
function twinNames(name: string): readonly string[] {
  const base = name.replace(/(?:^(?:check|verify|ci|test)[:_-]|[:_-](?:check|verify|ci|test)(?=[:_-]|$))/g, "");
  const around = [base, name].flatMap((stem) => [
    `${stem}:fix`,
    `${stem}-fix`,
    `fix:${stem}`,
    `fix-${stem}`,
    `${stem}:write`,
  ]);
  return [
    ...new Set([...around, base, ...(/format|prettier|fmt|style/.test(name) ? ["format", "fmt", "prettier"] : [])]),
  ];
}
