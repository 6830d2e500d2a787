import type { Incident } from "../domain/incident.ts";
import type { TriageKind } from "../domain/triage.ts";
import { code, plain } from "./markup.ts";

const MESSAGES_SHOWN = 4; // the failures themselves stand below

/** Why failures are not this change's own, and how a person has them repaired here all the same. */
export function triageList({ triage = [], explanation, trigger }: Incident): string {
  const others = triage.filter(({ kind }) => kind !== "weather");
  if (others.length === 0) return "";
  const byId = new Map((explanation?.failures ?? []).map((failure) => [failure.id, failure]));
  const items = others.map(({ kind, why, failures }) => {
    const named = failures.flatMap((id) => byId.get(id) ?? []).filter(({ cascadeOf }) => cascadeOf === null);
    const shown = named.slice(0, MESSAGES_SHOWN).map(({ message }) => code(message));
    const left = named.length > shown.length ? ` and ${named.length - shown.length} more` : "";
    return `- ${KINDS_SAID[kind]}: ${plain(why)} (${shown.join(", ")}${left})`;
  });
  const override =
    trigger.by === "ci"
      ? ["", "`/retrace` by somebody who may write here repairs it on this branch all the same."]
      : [];
  return [...items, ...override].join("\n");
}

const KINDS_SAID: Readonly<Record<TriageKind, string>> = {
  weather: "Weather",
  flaky: "Flaky",
  "stale-base": "The base has moved on",
  "pre-existing": "The base is red",
  duplicate: "Repaired already",
  "on-other-pull-requests": "Not this change alone",
};
