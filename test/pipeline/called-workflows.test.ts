import { describe, expect, it } from "vitest";
import { calledWorkflows } from "../../src/pipeline/called-workflows.ts";

const call = (...paths: readonly string[]): string =>
  `on: push\njobs:\n${paths.map((path, at) => `  j${at}:\n    uses: ${path}\n`).join("")}`;
const FILES: Readonly<Record<string, string>> = {
  ".github/workflows/a.yml": call("./.github/workflows/b.yaml", '"./.github/workflows/ci.yml"'),
  ".github/workflows/b.yaml": "on: workflow_call\n",
};

describe("the workflows that a workflow calls", () => {
  it("are read once each, through all that call on, and left out where they are not to be had", async () => {
    const asked: string[] = [];
    const text = call(
      "./.github/workflows/a.yml",
      "./.github/workflows/gone.yml",
      "./.github/workflows/away.yml",
      "other/repo/.github/workflows/x.yml@v1",
      "./.github/workflows/a.yml",
    );

    const found = await calledWorkflows({ path: ".github/workflows/ci.yml", text }, async (path) => {
      asked.push(path);
      if (path.endsWith("away.yml")) throw new Error("503");
      return FILES[path] ?? null;
    });

    expect(found).toEqual(Object.entries(FILES).map(([path, text]) => ({ path, text })));
    expect(asked).toEqual([
      ".github/workflows/a.yml",
      ".github/workflows/gone.yml",
      ".github/workflows/away.yml",
      ".github/workflows/b.yaml",
    ]);
  });
});
