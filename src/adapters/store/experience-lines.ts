import { z } from "zod";
import type { ExperienceRecord } from "../../domain/experience.ts";
import type { KeptEpisode } from "../../ports/experience-store.ts";
import { LINE_SCHEMA, StoredLine, type Tombstone } from "./experience-schema.ts";

/** What one line says. */
export type StoreLine =
  | { readonly record: ExperienceRecord }
  | { readonly episode: KeptEpisode }
  | { readonly forgotten: Tombstone };

export type DecodedLine = StoreLine | { readonly unreadable: string };

export function encodeLine(line: StoreLine): string {
  return JSON.stringify({ schema: LINE_SCHEMA, ...line });
}

const AnyLine = z.looseObject({ schema: z.string() });

/** Never throws: what cannot be read says why. */
export function decodeLine(text: string): DecodedLine {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { unreadable: "is not JSON" };
  }
  const any = AnyLine.safeParse(value);
  if (!any.success) return { unreadable: "is not a line of an experience store" };
  if (any.data.schema !== LINE_SCHEMA)
    return { unreadable: `has the schema ${any.data.schema}, this version reads ${LINE_SCHEMA}` };
  const line = StoredLine.safeParse(value);
  if (line.success) return line.data;
  return { unreadable: `does not fit the schema (${whereWrong(value, line.error)})` };
}

/** A union's own error says only that no member fits: the kind of line says which member was meant. */
function whereWrong(value: unknown, error: z.ZodError): string {
  const kind = ["record", "episode", "forgotten"].findIndex(
    (name) => typeof value === "object" && value !== null && name in value,
  );
  const [issue] = error.issues;
  const own = issue?.code === "invalid_union" ? (issue.errors[kind]?.[0] ?? issue.errors[0]?.[0] ?? issue) : issue;
  return own === undefined ? "unknown" : `${own.path.join(".")}: ${own.message}`;
}
