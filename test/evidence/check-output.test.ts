import { describe, expect, it } from "vitest";
import { readCheckOutput } from "../../src/evidence/check-output.ts";
import { collectEvidence } from "../../src/evidence/collect.ts";
import { SMALL_READERS } from "./small-tools.ts";

const GHA = (command: string, output: readonly string[]): string =>
  [
    `##[group]Run ${command}`,
    command,
    "shell: /usr/bin/bash -e {0}",
    "##[endgroup]",
    ...output,
    "##[error]Process completed with exit code 1.",
  ]
    .map((line, at) => `2026-02-03T04:05:${String(at).padStart(2, "0")}.0000000Z ${line}`)
    .join("\n");

async function inCi(command: string, output: readonly string[]) {
  const bytes = Buffer.from(GHA(command, output));
  const files = async () => [
    {
      name: "0_lint.txt",
      chunks: async function* () {
        yield bytes;
      },
    },
  ];
  const evidence = await collectEvidence({ source: { files }, workflow: null, jobs: null, readers: SMALL_READERS });
  return evidence.failures.map(({ signature }) => signature).sort();
}

const here = (command: string, cwd: string, output: readonly string[], root: string | null = null) =>
  readCheckOutput(output.join("\n"), command, cwd, SMALL_READERS, { root });

describe("reading a check's output", () => {
  it.each([
    ["the same words", "lintcheck src", "", ["src/bed.ts:4: E12 weeds"], ["src/bed.ts:4: E12 weeds"]],
    [
      "another line number and colours",
      "lintcheck src",
      "",
      ["src/bed.ts:4: E12 weeds"],
      ["\u001b[31msrc/bed.ts:77: E12 weeds\u001b[0m"],
    ],
    [
      "absolute paths of both places",
      "lintcheck src",
      "",
      ["/home/runner/work/garden/garden/src/bed.ts:4: E12 weeds"],
      ["/tree/of/ours/src/bed.ts:4: E12 weeds"],
    ],
    ["no tool's words", "./grow.sh", "", ["ERROR dry for 12 s at 0xdeadbeef"], ["ERROR dry for 3 s at 0xcafe"]],
    [
      "a folder the command changes to",
      "cd web && lintcheck src",
      "",
      ["src/bed.ts:4: E12 weeds"],
      ["src/bed.ts:4: E12 weeds"],
    ],
  ])("gives CI's signatures: %s", async (_name, command, cwd, ci, local) => {
    const signatures = here(command, cwd, local, "/tree/of/ours").map(({ signature }) => signature);

    expect(signatures.sort()).toEqual(await inCi(command, ci));
    expect(signatures).not.toEqual([]);
  });

  it("tells failures of different files apart", () => {
    const [one, other] = here("lintcheck src", "", ["src/a.ts:1: E12 weeds", "src/b.ts:1: E12 weeds"]);

    expect(one?.signature).not.toBe(other?.signature);
  });

  it("places a file in the working directory, or where the repository has it", () => {
    const repoFiles = new Set(["packages/web/src/bed.ts", "README.md"]);
    const read = (cwd: string, files: ReadonlySet<string> | null) =>
      readCheckOutput("src/bed.ts:4: E12 weeds", "lintcheck src", cwd, SMALL_READERS, { repoFiles: files })[0]?.location
        ?.file;

    expect(read("packages/web", null)).toBe("packages/web/src/bed.ts");
    expect(read("", repoFiles)).toBe("packages/web/src/bed.ts");
    expect(read("", null)).toBe("src/bed.ts");
  });

  it("keeps secrets out of message and excerpt", () => {
    const token = `ghp_${"a1B2".repeat(9)}`;
    const [failure] = here("./grow.sh", "", [`ERROR token ${token} refused`]);

    expect(JSON.stringify(failure)).not.toContain(token);
    expect(failure?.message).toContain("ERROR token");
  });
});
