import { syntaxTree } from "../../../../text/code-outline.ts";
import { statementsOf } from "./insert-probes.ts";
import type { ProbeLanguage } from "./probe-language.ts";
import { isPure } from "./pure-expression.ts";

/**
 * Why the probes in a text may change what it does, or null (papers §4.5): without them it has to be the original, each
 * has to be a statement of its own, and read nothing but names, members and literals. Does not trust whoever inserted them.
 */
export function interference(path: string, original: string, probed: string, language: ProbeLanguage): string | null {
  if (original.includes(language.reserved)) return `the code uses the name ${language.reserved} itself`;
  if (probed.replace(language.pattern, "") !== original) return "without the probes it is not the original code";
  const root = syntaxTree(path, probed);
  const before = syntaxTree(path, original);
  if (root === null || before === null) return "it cannot be read";
  const errors = (node: typeof root): number => node.findAll({ rule: { kind: "ERROR" } }).length;
  if (errors(root) > errors(before)) return "with the probes it does not parse";
  const starts = new Set(
    root
      .findAll({ rule: { any: language.blocks.map((kind) => ({ kind })) } })
      .flatMap((block) => statementsOf(block, language))
      .map((node) => node.range().start.index),
  );
  for (const match of probed.matchAll(language.pattern)) {
    const start = match.index + (/^(?: ;|; |\n?[ \t]*)/.exec(match[0])?.[0].length ?? 0);
    if (!starts.has(start)) return "a probe is no statement of its own";
    const value = Object.entries(match.groups ?? {}).find(([name, text]) => name.startsWith("value") && text)?.[1];
    if (value !== undefined && !isPure(value, language)) return `a probe reads ${value}`;
  }
  return null;
}
