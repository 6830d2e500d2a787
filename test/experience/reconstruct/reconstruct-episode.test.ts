import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { HunkRef, Reconstruction } from "../../../src/domain/experience.ts";
import { reconstructEpisode } from "../../../src/experience/reconstruct/reconstruct-episode.ts";
import { toEpisodeDocument } from "../../../src/experience/reconstruct/to-json.ts";
import type { History } from "../../../src/ports/history.ts";
import { COMMITS, episodeInput, openHistory, tangledEpisode } from "../../fakes/tangled-episode.ts";
import { writeHistory } from "../../fakes/written-history.ts";

const show = ({ path, oldRange, newRange }: HunkRef): string =>
  `${path} -${oldRange?.start ?? ""} +${newRange?.start ?? ""}`;

describe("a tangled episode without a model", () => {
  const episode = tangledEpisode();
  let history: History;
  let learned: Reconstruction;
  beforeAll(async () => {
    history = await openHistory(episode);
    learned = (await reconstructEpisode(history, await episodeInput(episode))).reconstruction;
  });
  afterAll(async () => {
    await history.close();
    episode.remove();
  });

  it("gives exactly one record a problem, each with the change that repaired it", () => {
    const records = learned.records.map(({ p, r, v }) => [p.statement.value, r.hunks.map(show), r.commits, v.command]);

    expect(records).toEqual([
      [
        "tsc: Property 'owner' does not exist on type 'Cart'.",
        ["src/cart.ts - +5"],
        [episode.shas[COMMITS.types]],
        "npx tsc --noEmit",
      ],
      ["vitest: sums the cart", ["src/cart.ts -8 +9"], [episode.shas[COMMITS.green]], "npx vitest run"],
    ]);
  });

  it("tells the attempt and the commit that took it back as development, and unrelated work as neither", () => {
    const told = {
      development: learned.development.map(({ commit, kind, hunks }) => [
        episode.shas.indexOf(commit),
        kind,
        hunks.map(show),
      ]),
      unrelated: learned.unrelated.map(show),
    };

    expect(told).toEqual({
      development: [
        [COMMITS.attempt, "reverted", ["src/cart.ts -9 +9"]],
        [COMMITS.revert, "reverting", ["src/cart.ts -10 +10"]],
      ],
      unrelated: ["src/money.ts - +4"],
    });
  });

  it("cites log lines, hunks and commits that exist, and says what it left out", () => {
    const ids = new Set(learned.sources.map(({ id }) => id));
    const cited = learned.records.flatMap(({ e }) => Object.values(e).flatMap((cites) => cites.map(({ id }) => id)));

    expect(cited.filter((id) => !ids.has(id))).toEqual([]);
    expect(learned.records.map(({ removedFields }) => removedFields)).toEqual([
      [{ field: "rootCause", why: "no model was there to infer one" }],
      [{ field: "rootCause", why: "no model was there to infer one" }],
    ]);
  });

  it("is the document of the contract", () => {
    const document = toEpisodeDocument(learned) as Record<string, Record<string, unknown>[]>;

    expect(Object.keys(document)).toEqual([
      "schema",
      "episode",
      "records",
      "development",
      "unrelated",
      "edges",
      "rejected",
      "sources",
    ]);
    expect(document.schema).toBe("retrace.episode/1");
    expect(Object.keys(document.records?.[0] ?? {})).toEqual([
      "id",
      "problem",
      "rootCause",
      "category",
      "signals",
      "files",
      "operations",
      "validation",
      "hunks",
      "commits",
      "provenance",
      "evidence",
      "removedFields",
      "confidence",
    ]);
    expect(document.episode).toMatchObject({
      repo: "acme/shop",
      completeness: "full",
      fixedByBase: false,
      quality: "skeleton",
    });
  });
});

describe("episodes that are not whole", () => {
  it("without the commits between tells the patch alone", async () => {
    const episode = tangledEpisode();
    const input = await episodeInput(episode);
    const opened = await openHistory(episode);
    const history: Omit<History, "close"> = { ...opened, way: async () => null };

    const { reconstruction } = await reconstructEpisode(history, input);

    expect(reconstruction.episode.completeness).toBe("no_commits");
    expect(reconstruction.records.map(({ provenance, r }) => [provenance, r.hunks.map(show), r.commits])).toEqual([
      ["endpoint_only", ["src/cart.ts - +5"], []],
      ["endpoint_only", ["src/cart.ts -8 +9"], []],
    ]);
    await opened.close();
    episode.remove();
  });

  it("that a merge of the base repaired holds no repair", async () => {
    const episode = tangledEpisode();
    const fixed = "export function totalOf() {\n  return 3;\n}\n";
    const merged = writeHistory([
      { files: { "src/cart.ts": "export function totalOf() {\n  return -3;\n}\n", "a.txt": "a\n" } },
      { files: { "a.txt": "b\n" }, parents: [0] },
      { files: { "src/cart.ts": `${fixed}// more\n// and more\n` }, parents: [0] },
      { files: { "src/cart.ts": `${fixed}// more\n// and more\n`, "a.txt": "b\n" }, parents: [1, 2] },
    ]);
    const input = { ...(await episodeInput(episode)), failSha: merged.shas[0] ?? "", passSha: merged.shas[3] ?? "" };
    const history = await openHistory(merged);

    const { reconstruction } = await reconstructEpisode(history, input);

    expect([reconstruction.episode.fixedByBase, reconstruction.records]).toEqual([true, []]);
    await history.close();
    merged.remove();
    episode.remove();
  });

  it("with verdicts of pushes between never credits what came after a failure was gone", async () => {
    const episode = tangledEpisode();
    const input = await episodeInput(episode);
    const [types, tests] = input.evidence.failures.map(({ signature }) => signature);
    const history = await openHistory(episode);
    const push = (at: number, ...signatures: (string | undefined)[]) => ({
      sha: episode.shas[at] ?? "",
      run: at,
      signatures: signatures.filter((one) => one !== undefined),
    });

    const gone = await reconstructEpisode(history, {
      ...input,
      pushes: [push(COMMITS.attempt, types, tests), push(COMMITS.revert, types), push(COMMITS.green)],
    });

    // CI says that the test was green before the commit that looks like its repair.
    expect({
      records: gone.reconstruction.records.map(({ p }) => p.statement.value),
      rejected: gone.reconstruction.rejected.map(({ statement }) => statement),
    }).toEqual({
      records: ["tsc: Property 'owner' does not exist on type 'Cart'."],
      rejected: ["vitest: sums the cart"],
    });
    await history.close();
    episode.remove();
  });

  it("with verdicts of pushes attributes a push that made one failure go away, where nothing else tells", async () => {
    const episode = tangledEpisode();
    const input = await episodeInput(episode);
    const [types, tests] = input.evidence.failures;
    const history = await openHistory(episode);
    // A log that says no more than that the tests failed.
    const mute = { ...tests, message: "tests failed", testId: null, location: null, stack: [] };
    const failures = types === undefined || tests === undefined ? [] : [types, { ...tests, ...mute }];
    const without = { ...input, evidence: { ...input.evidence, failures } };
    const push = (at: number, ...signatures: readonly string[]) => ({
      sha: episode.shas[at] ?? "",
      run: at,
      signatures,
    });
    const pushes = [
      push(COMMITS.types, tests?.signature ?? ""),
      push(COMMITS.revert, tests?.signature ?? ""),
      push(COMMITS.green),
    ];

    const blind = await reconstructEpisode(history, without);
    const seeing = await reconstructEpisode(history, { ...without, pushes });

    expect(blind.reconstruction.records.map(({ r }) => r.hunks.map(show))).toEqual([["src/cart.ts - +5"]]);
    expect(seeing.reconstruction.records.map(({ r }) => r.hunks.map(show))).toEqual([
      ["src/cart.ts - +5"],
      ["src/cart.ts -8 +9"],
    ]);
    await history.close();
    episode.remove();
  });
});
