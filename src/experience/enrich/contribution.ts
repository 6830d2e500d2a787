import type { Guidance } from "../../domain/guidance.ts";
import { addedLines, BadDiff, type FileDiff, parseDiff, pathOf } from "../../text/diff.ts";

/**
 * What a record gave to a patch, as far as the patch shows it: a file it pointed to, or names out of its steps. Null when
 * nothing of it can be seen: that it was read is no contribution.
 */
export function contributionOf(record: string, guidance: Guidance, patch: string): string | null {
  const files = filesOf(patch);
  const changed = new Set(files.map(pathOf));
  const pointed = guidance.suspected.find((one) => one.record === record && changed.has(one.path));
  if (pointed !== undefined) return `pointed to ${pointed.path}`;
  const added = files.flatMap((file) => addedLines(file).map(({ text }) => text)).join("\n");
  for (const { text, record: from } of [...guidance.actions, ...guidance.rootCauses]) {
    if (from !== record) continue;
    const name = namesIn(text).find((one) => added.includes(one));
    if (name !== undefined) return `its step names ${name}, which the patch adds`;
  }
  return null;
}

function filesOf(patch: string): readonly FileDiff[] {
  try {
    return parseDiff(patch);
  } catch (error) {
    if (error instanceof BadDiff) return [];
    throw error;
  }
}

/** Code in a sentence: quoted spans, calls, names with humps or underscores. Plain words prove nothing. */
function namesIn(text: string): readonly string[] {
  const quoted = [...text.matchAll(/`([^`\n]{3,80})`/g)].map((match) => match[1] ?? "");
  const named = text.match(/\b(?:[a-z]+[A-Z]\w+|[A-Za-z]\w*_\w+|\w{3,}(?=\())/g) ?? [];
  return [...quoted, ...named];
}
