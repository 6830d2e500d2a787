import { appendFile, mkdir, readFile } from "node:fs/promises";
import path from "node:path";
import { z } from "zod";
import { ENGINES } from "../../domain/attempt.ts";
import { CATEGORIES, NON_CODE } from "../../domain/category.ts";
import type { EngineOutcome } from "../../domain/engine-outcome.ts";
import type { EngineOutcomes } from "../../ports/engine-outcomes.ts";

const Row = z.object({
  id: z.string(),
  at: z.string(),
  engine: z.enum(ENGINES),
  category: z.enum([...CATEGORIES, ...NON_CODE]),
  experience: z.boolean(),
  usd: z.number().nullable(),
  success: z.boolean(),
  by: z.enum(["ci", "merge"]),
});

// Older ones speak of other models and other code; a row has some 200 bytes.
const NEWEST = 20_000;

/** Outcomes of engines as JSON lines in `<dataDir>/engine-outcomes.jsonl`. */
export function fileEngineOutcomes(dataDir: string): EngineOutcomes {
  const file = path.join(dataDir, "engine-outcomes.jsonl");
  return {
    add: async (outcomes) => {
      if (outcomes.length === 0) return;
      await mkdir(dataDir, { recursive: true });
      // One write, so that lines of two processes never mix.
      await appendFile(file, outcomes.map((outcome) => `${JSON.stringify(outcome)}\n`).join(""), { mode: 0o600 });
    },
    list: async () => {
      const text = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
        if (error.code === "ENOENT") return "";
        throw error;
      });
      const newest = new Map<string, EngineOutcome>();
      for (const line of text.split("\n").slice(-NEWEST)) {
        const row = readRow(line);
        if (row !== null) newest.set(`${row.id} ${row.engine}`, row);
      }
      return [...newest.values()];
    },
  };
}

/** A line that a full disk or a kill cut short is no outcome. */
function readRow(line: string): EngineOutcome | null {
  if (line.trim() === "") return null;
  try {
    const row = Row.safeParse(JSON.parse(line));
    return row.success ? row.data : null;
  } catch {
    return null;
  }
}
