import { describe, expect, it } from "vitest";
import { loadCommandFacts } from "../../src/tools/command-facts.ts";

function filesOf(texts: Readonly<Record<string, string>>) {
  return { paths: Object.keys(texts), read: async (path: string) => texts[path] ?? null };
}

describe("what a commit's files say about its commands", () => {
  it("reads the scripts of every package", async () => {
    const facts = await loadCommandFacts(
      filesOf({
        "package.json": '{"scripts":{"lint":"eslint ."}}',
        "packages/a/package.json": '{"scripts":{"test":"vitest run"}}',
        "node_modules/x/package.json": '{"scripts":{"test":"no"}}',
      }),
    );

    expect(facts.packageScripts("")).toEqual({ lint: "eslint ." });
    expect(facts.packageScripts("packages/a")).toEqual({ test: "vitest run" });
    expect(facts.packageScripts("node_modules/x")).toBeNull();
  });

  it.each(["{", "[]", '{"scripts":[]}', '{"scripts":{"a":1}}', "null"])(
    "knows nothing of a broken manifest: %s",
    async (text) => {
      const facts = await loadCommandFacts(filesOf({ "package.json": text }));

      expect(facts.packageScripts("")).toBeNull();
    },
  );

  it("reads the recipes of a Makefile", async () => {
    const makefile = "FLAGS := -v\nlint: deps\n\t@eslint .\n\t-prettier --check .\n\ndeps:\n\tnpm ci\n";

    const facts = await loadCommandFacts(filesOf({ Makefile: makefile }));

    expect(facts.makeTarget("", "lint")).toEqual(["eslint .", "prettier --check ."]);
    expect(facts.makeTarget("", "deps")).toEqual(["npm ci"]);
    expect(facts.makeTarget("", "FLAGS")).toBeNull();
  });
});
