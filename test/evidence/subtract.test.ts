import { describe, expect, it } from "vitest";
import { collectEvidence, readGreen } from "../../src/evidence/collect.ts";
import type { LogSource } from "../../src/ports/log-source.ts";
import { SMALL_READERS } from "./small-tools.ts";

const log = (output: readonly string[], exit: number): LogSource => ({
  files: async () => [
    {
      name: "log.txt",
      chunks: async function* () {
        const end = exit === 0 ? "Post job cleanup." : `##[error]Process completed with exit code ${exit}.`;
        const lines = ["##[group]Run make garden", "shell: /usr/bin/bash -e {0}", "##[endgroup]", ...output, end];
        yield Buffer.from(lines.join("\n"));
      },
    },
  ],
});
const everything = 1_000_000;
const greenOf = async (sources: readonly LogSource[], maxBytes = everything): Promise<ReadonlySet<string>> => {
  const files = await Promise.all(sources.map((source) => source.files()));
  const sets = await Promise.all(files.flat().map((file) => readGreen(file.chunks(), maxBytes)));
  return new Set(sets.flatMap((set) => [...set]));
};
const messages = async (source: LogSource, green: readonly LogSource[]): Promise<readonly string[]> => {
  const passing = () => greenOf(green);
  const { failures } = await collectEvidence({ source, passing, workflow: null, jobs: null, readers: SMALL_READERS });
  return failures.map(({ message }) => message);
};

describe("what green runs of the same job print", () => {
  const red = log(["ERROR cache of 3 beds is cold (took 120 ms)", "ERROR the hose leaks"], 2);
  const green = log(["ERROR cache of 7 beds is cold (took 80 ms)"], 0);

  it("is not why a run is red", async () => {
    expect(await messages(red, [green])).toEqual(["ERROR the hose leaks"]);
    expect(await messages(red, [])).toEqual(["ERROR cache of 3 beds is cold (took 120 ms)", "ERROR the hose leaks"]);
  });

  it("stays where a red step says nothing else", async () => {
    expect(await messages(log(["ERROR cache of 5 beds is cold (took 9 ms)"], 2), [green])).toEqual([
      "ERROR cache of 5 beds is cold (took 9 ms)",
    ]);
  });

  it("does not take away what a tool names by rule and place", async () => {
    const found = "src/bed.ts:4: E12 weeds";

    expect(await messages(log([found], 1), [log([found], 0)])).toEqual(["weeds"]);
  });

  it("is not asked for where tools know everything, and not missed where it cannot be had", async () => {
    const asked: (readonly string[])[] = [];
    const failing = async (jobs: readonly string[]): Promise<never> => {
      asked.push(jobs);
      throw new Error("503");
    };
    const input = { workflow: null, jobs: null, readers: SMALL_READERS, passing: failing };

    const known = await collectEvidence({ ...input, source: log(["src/bed.ts:4: E12 weeds"], 1) });
    expect([known.failures.map(({ message }) => message), asked]).toEqual([["weeds"], []]);

    const unknown = await collectEvidence({ ...input, source: red });
    expect([unknown.failures.length, asked.length]).toEqual([2, 1]);
  });

  it("is read no further than its first bytes", async () => {
    const long = log(["ERROR cache of 7 beds is cold (took 80 ms)"], 0);

    expect([...(await greenOf([long], 20))]).toEqual(["##[group]Run make ga"]);
  });
});
