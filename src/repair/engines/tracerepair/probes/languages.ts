import { go } from "./go.ts";
import { java } from "./java.ts";
import { javaScript, typeScript } from "./javascript.ts";
import type { ProbeLanguage } from "./probe-language.ts";
import { python } from "./python.ts";

/** The languages in which code is traced; others are repaired without a trace (papers §4.5). */
export const PROBE_LANGUAGES: readonly ProbeLanguage[] = [javaScript, typeScript, python, go, java];

/** Null where there are no probes for files of this name. */
export function probeLanguageOf(path: string): ProbeLanguage | null {
  const extension = /\.(\w+)$/.exec(path)?.[1]?.toLowerCase() ?? "";
  return PROBE_LANGUAGES.find(({ extensions }) => extensions.includes(extension)) ?? null;
}
