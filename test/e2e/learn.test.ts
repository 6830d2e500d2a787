import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { COMMITS, tangledEpisode } from "../fakes/tangled-episode.ts";
import { ensureBuilt, retrace } from "./command-line.ts";

interface EpisodeDocument {
  readonly schema: string;
  readonly episode: Readonly<Record<string, unknown>>;
  readonly records: readonly {
    readonly problem: string;
    readonly hunks: readonly { readonly path: string }[];
    readonly commits: readonly string[];
  }[];
}

describe("retrace learn", () => {
  const episode = tangledEpisode();
  const [red = "", green = ""] = [episode.shas[COMMITS.red], episode.shas[COMMITS.green]];
  beforeAll(ensureBuilt, 120_000);
  afterAll(() => episode.remove());

  it("prints one document and nothing else", async () => {
    const ran = await retrace([
      "learn",
      "--repo",
      episode.dir,
      "--fail",
      red,
      "--pass",
      green,
      "--log",
      episode.log,
      "--json",
    ]);
    const document = JSON.parse(ran.stdout) as EpisodeDocument;

    expect([ran.code, document.schema, document.episode.repo]).toEqual([
      0,
      "retrace.episode/1",
      `local/${path.basename(episode.dir)}`,
    ]);
    expect(
      document.records.map(({ problem, hunks, commits }) => [problem, hunks.map((hunk) => hunk.path), commits]),
    ).toEqual([
      ["tsc: Property 'owner' does not exist on type 'Cart'.", ["src/cart.ts"], [episode.shas[COMMITS.types]]],
      ["vitest: sums the cart", ["src/cart.ts"], [green]],
    ]);
  }, 60_000);

  it("tells people what was repaired, what did not stay and what belongs to nothing", async () => {
    const ran = await retrace(["learn", "--repo", episode.dir, "--fail", red, "--pass", green, "--log", episode.log]);

    expect(ran.stdout).toContain("2 problems were repaired");
    expect(ran.stdout).toContain(`hunk      src/cart.ts -8 +9 by ${green.slice(0, 8)}`);
    expect(ran.stdout).toContain("Attempts that did not stay");
    expect(ran.stdout).toContain("Changes that belong to no problem\n  src/money.ts +4");
  }, 60_000);

  it.each([
    ["a commit that is not there", ["--fail", "feedbeef", "--pass", green], "has no commit feedbeef"],
    ["a pair the wrong way round", ["--fail", green, "--pass", red], "lies before the failing one"],
    ["one commit for both", ["--fail", red, "--pass", red], "--fail and --pass are the same commit"],
    ["a log that is not there", ["--fail", red, "--pass", green, "--log", "/nowhere.log"], "/nowhere.log"],
  ])(
    "refuses %s in one line",
    async (_name, args, complaint) => {
      const ran = await retrace(["learn", "--repo", episode.dir, ...args, "--json"]);

      expect([ran.code, ran.stdout]).toEqual([2, ""]);
      const complaints = ran.stderr.split("\n").filter((line) => line.startsWith("retrace: "));
      expect(complaints).toHaveLength(1);
      expect(ran.stderr).toContain(complaint);
    },
    60_000,
  );
});
