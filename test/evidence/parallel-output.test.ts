import { describe, expect, it } from "vitest";
import { readCheckOutput } from "../../src/evidence/check-output.ts";
import { SMALL_READERS } from "./small-tools.ts";

const places = (lines: readonly string[]) =>
  readCheckOutput(lines.join("\n"), "make garden", "", SMALL_READERS).map(({ location, lines: at }) => [
    location?.file ?? null,
    location?.line ?? null,
    ...at,
  ]);

describe("output of programs that ran side by side", () => {
  it.each([
    ["pnpm and lerna", "packages/web lint: ", "packages/api lint: "],
    ["turbo and nx", "web:lint: ", "api:lint: "],
    ["concurrently", "[web] ", "[api] "],
    ["docker compose", "web-1  | ", "api-1  | "],
  ])("is read as if they had run one after another: %s", (_name, web, api) => {
    const said = [
      `${web}starting`,
      `${api}starting`,
      `${web}src/bed.ts:4: E12 weeds`,
      `${api}ok`,
      `${web}done`,
      `${api}done`,
    ];

    expect(places(said)).toEqual([["src/bed.ts", 4, 3]]);
  });

  it("is taken apart only where lines are prefixed all along", () => {
    const said = ["a.ts:1: x", "b.ts:2: x", "c.ts:3: x", "all: ERROR the hose leaks"];

    expect(places(said)).toEqual([[null, null, 4]]);
  });
});
