import type { ExperienceRecord } from "../../domain/experience.ts";
import { redact, redactCounting } from "../../text/redact.ts";

export interface RedactedRecord {
  readonly record: ExperienceRecord;
  /** Of this pass alone. */
  readonly redactions: number;
}

/** Every text of a record without its secrets; the count in its provenance grows by what was found. */
export function redactRecord(record: ExperienceRecord): RedactedRecord {
  let redactions = 0;
  const body = mapStrings(record.body, (text) => {
    const found = redactCounting(text);
    redactions += found.redactions;
    return found.text;
  });
  if (redactions === 0) return { record, redactions };
  const { provenance } = record.meta;
  const meta = { ...record.meta, provenance: { ...provenance, redactions: provenance.redactions + redactions } };
  // The shape is the same, only the texts differ.
  return { record: { ...record, meta, body } as ExperienceRecord, redactions };
}

/** Whether names that cannot be changed (ids, scope) look like a secret. */
export function hasSecretName(meta: ExperienceRecord["meta"]): boolean {
  let found = false;
  mapStrings(meta, (text) => {
    found ||= redact(text) !== text;
    return text;
  });
  return found;
}

function mapStrings(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === "string") return change(value);
  if (Array.isArray(value)) return value.map((item) => mapStrings(item, change));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [change(key), mapStrings(item, change)]));
}
