import { describe, expect, it } from "vitest";
import { resolveText, secretsIn } from "../../src/evidence/resolve-expressions.ts";

const CONTEXTS = {
  matrix: { node: 20, os: "ubuntu-latest", extra: null },
  env: { DIR: "packages/web" },
  runner: { os: "Linux" },
};

describe("resolving expressions", () => {
  it.each([
    ["echo ${{ matrix.node }}", "echo 20", []],
    ["cd ${{ env.DIR }} && npm test", "cd packages/web && npm test", []],
    ["${{ matrix.os == 'ubuntu-latest' && 'yes' || 'no' }}", "yes", []],
    ["${{ format('{0}-{1}', matrix.os, matrix.node) }}", "ubuntu-latest-20", []],
    ["${{ startsWith(runner.os, 'Lin') }}", "true", []],
    ["${{ matrix['node'] }}${{ matrix.extra }}", "20", []],
    ["key-${{ hashFiles('**/lock') }}", "key-${{ hashFiles('**/lock') }}", ["hashFiles('**/lock')"]],
    ["${{ secrets.TOKEN }}", "${{ secrets.TOKEN }}", ["secrets.TOKEN"]],
    ["${{ env.UNKNOWN }} ${{ matrix.node }}", "${{ env.UNKNOWN }} 20", ["env.UNKNOWN"]],
    ["${{ toJSON(matrix.node }}", "${{ toJSON(matrix.node }}", ["toJSON(matrix.node"]],
    ["${{ needs.a.outputs.b || 'x' }}", "${{ needs.a.outputs.b || 'x' }}", ["needs.a.outputs.b || 'x'"]],
    ["nothing ${HOME} $(x)", "nothing ${HOME} $(x)", []],
  ])("%s → %s", (text, expected, unresolved) => {
    expect(resolveText(text, CONTEXTS)).toEqual({ text: expected, unresolved });
  });

  it("names the secrets a text asks for, once each", () => {
    expect(secretsIn("${{ secrets.NPM_TOKEN }} ${{ secrets['OTHER'] || secrets.NPM_TOKEN }} secrets.NOT")).toEqual([
      "NPM_TOKEN",
      "OTHER",
    ]);
  });
});
