import { readFile } from "node:fs/promises";
import { z } from "zod";
import type { Switches } from "../domain/switches.ts";
import type { LabelledPlace } from "../repair/localize/localize.ts";
import { UsageError } from "./exit.ts";

const Line = z.number().int().min(1);
const Place = z.union([
  z.strictObject({ file: z.string().min(1), line: Line }),
  z.strictObject({ file: z.string().min(1), start: Line, end: Line }),
  z.strictObject({ file: z.string().min(1), after: Line }),
]);
const Places = z.array(Place).min(1);

/**
 * The labelled places of an experiment (`--locations FILE`): a JSON array of `{"file", "line"}`, `{"file", "start", "end"}` or
 * `{"file", "after"}` where code is only missing behind a line. Lines of the failing commit, from 1. Empty when none were given.
 */
export async function readLocations(
  file: string | undefined,
  arm: Switches["localization"],
): Promise<readonly LabelledPlace[]> {
  if (arm === "ci" && file !== undefined)
    throw new UsageError("--locations goes with --localization line or method; with ci CI itself says where to look");
  if (arm === "ci") return [];
  if (file === undefined)
    throw new UsageError(`--localization ${arm} takes the places from --locations FILE, a JSON array`);
  const text = await readFile(file, "utf8").catch(() => {
    throw new UsageError(`--locations: ${file} cannot be read`);
  });
  const read = Places.safeParse(parse(text, file));
  if (!read.success)
    throw new UsageError(
      `--locations: ${file} is no array of {"file","line"}, {"file","start","end"} or {"file","after"}`,
    );
  return read.data.map(toPlace);
}

function parse(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new UsageError(`--locations: ${file} is not JSON`);
  }
}

function toPlace(place: z.infer<typeof Place>): LabelledPlace {
  const { file } = place;
  if ("line" in place) return { file, range: { start: place.line, end: place.line } };
  if ("after" in place) return { file, range: { start: place.after, end: place.after }, insertion: true };
  return { file, range: { start: place.start, end: Math.max(place.start, place.end) } };
}
