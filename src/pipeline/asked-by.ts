import { ENGINES, type EngineName } from "../domain/attempt.ts";
import type { Incident } from "../domain/incident.ts";
import { redact } from "../text/redact.ts";

type Asked = Pick<Incident, "trigger">;

/** `/retrace engine NAME` */
export function engineAsked({ trigger }: Asked): "auto" | EngineName {
  const named = trigger.by === "command" ? /^engine (\w+)$/.exec(trigger.command)?.[1] : undefined;
  return ENGINES.find((name) => name === named) ?? "auto";
}

/** `/retrace fix N`: why the cause of this number is left; null where it, or no single one, was asked for. */
export function whyNotAsked({ trigger }: Asked, number: number): string | null {
  const asked = trigger.by === "command" ? /^fix (\d+)$/.exec(trigger.command)?.[1] : undefined;
  return asked === undefined || Number(asked) === number ? null : `only cause ${asked} was asked for`;
}

/** `/retrace hint TEXT`: material like any other, whoever may write here may still quote what others wrote. */
export function hintOf({ trigger }: Asked): { readonly hint?: string } {
  const hint = trigger.by === "command" ? /^hint (.+)$/s.exec(trigger.command)?.[1] : undefined;
  return hint === undefined ? {} : { hint: redact(hint) };
}
