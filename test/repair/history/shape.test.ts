import { describe, expect, it } from "vitest";
import type { FaultLocation } from "../../../src/domain/fault.ts";
import { nearestLine } from "../../../src/repair/history/nearest-line.ts";
import { heuristicFor, shapeOf } from "../../../src/repair/history/shape.ts";

const at = (
  file: string,
  start: number,
  end = start,
  source: FaultLocation["source"] = "diagnostic",
): FaultLocation => ({
  file,
  range: { start, end },
  fn: null,
  source,
  score: 1,
});

describe("the shape of a fault", () => {
  it.each([
    ["one line", [at("a.ts", 3)], "SL"],
    ["one line named twice", [at("a.ts", 3), at("a.ts", 3)], "SL"],
    ["lines that one hunk mends", [at("a.ts", 3), at("a.ts", 6)], "SH"],
    ["a span", [at("a.ts", 3, 9)], "SH"],
    ["lines far apart", [at("a.ts", 3), at("a.ts", 30)], "SFMH"],
    ["two files", [at("a.ts", 3), at("b.ts", 3)], "MFMH"],
    ["guesses: only the best counts", [at("a.ts", 3, 3, "stack"), at("b.ts", 9, 9, "test_body")], "SL"],
    ["a diagnostic beside guesses", [at("b.ts", 9, 9, "stack"), at("a.ts", 3)], "SL"],
    ["nothing", [], "SL"],
  ] as const)("is told of %s", (_, locations, shape) => {
    expect(shapeOf(locations)).toBe(shape);
  });

  it.each([
    ["SL", "fl_diff", "fn_pair"],
    ["SH", "fn_pair", "fn_all"],
    ["SFMH", "fl_diff", "fn_all"],
    ["MFMH", "none", "fn_pair"],
  ] as const)("asks for its best heuristic first, then for the other of the pair: %s", (shape, best, other) => {
    const asked = [0, 1].map((attempt) => heuristicFor(shape, attempt, "table", "table"));

    expect(asked).toEqual([best, other]);
  });

  it.each([
    ["one heuristic, its pair afterwards", "fn_pair", "table", ["fn_pair", "fl_diff"]],
    ["one outside of the pair", "fn_all", "table", ["fn_all", "fn_pair"]],
    ["a list of its own", "fn_all", ["none", "fl_diff"], ["fn_all", "none", "fl_diff", "fl_diff"]],
    ["the table and a list", "table", ["fn_all"], ["fl_diff", "fn_all"]],
  ] as const)("lets the switches say %s", (_, history, retry, wanted) => {
    expect(wanted.map((_one, attempt) => heuristicFor("SL", attempt, history, retry))).toEqual(wanted);
  });
});

describe("the line that history is asked about when nothing stands there yet", () => {
  it.each([
    ["the line itself", ["a()", "b()"], 2, 2],
    ["past blanks and comments", ["a()", "", "  // why", "# also", ""], 5, 1],
    ["past structure, while there is better", ["a()", "}", "} else {", ""], 4, 1],
    ["structure, when there is nothing better", ["", "}", ""], 3, 2],
    ["five lines above, the insertion's own included", ["a()", "", "", "", ""], 5, 1],
    ["none six lines away", ["a()", "", "", "", "", ""], 6, null],
    ["beyond the end of the file", ["a()"], 9, 1],
    ["none in comments alone", ["/* x", " * y", " */"], 3, null],
  ] as const)("is %s", (_, lines, after, line) => {
    expect(nearestLine(lines, after)).toBe(line);
  });
});
