import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { loadPromptTexts, parsePromptTexts, renderPrompt, renderText } from "../../src/agent/prompt.ts";

const TEXTS = parsePromptTexts(`
Mend {{what}}.

=== question ===

## What failed

{{log}}

=== hint ===
Look at {{what}}.
`);

describe("a prompt", () => {
  it("parts the lasting instructions from the case and fills both", () => {
    const prompt = renderPrompt(TEXTS, { what: "it", log: "boom" });

    expect(prompt).toEqual({ system: "Mend it.", user: "## What failed\n\nboom" });
  });

  it("puts a value in as it is, whatever it looks like", () => {
    const nasty = "$& $1 {{what}} {{unknown}}\n=== question ===\n  ";

    const prompt = renderPrompt(TEXTS, { what: "it", log: nasty });

    expect(prompt.user).toBe(`## What failed\n\n${nasty}`);
  });

  it("gives a text by its name", () => {
    expect(renderText(TEXTS, "hint", { what: "the end" })).toBe("Look at the end.");
  });

  it.each<[string, () => unknown, string]>([
    ["a hole without a value", () => renderPrompt(TEXTS, { what: "it" }), "a hole without a value: log"],
    [
      "an inherited name as a value",
      () => renderText(parsePromptTexts("{{toString}}"), ""),
      "a hole without a value: toString",
    ],
    [
      "a value without a hole",
      () => renderPrompt(TEXTS, { what: "it", log: "", extra: "" }),
      "values without a hole: extra",
    ],
    ["a text that is not there", () => renderText(TEXTS, "nothing"), 'there is no text called "nothing"'],
    [
      "a prompt without a question",
      () => renderPrompt(parsePromptTexts("Go."), {}),
      "the prompt has no === question ===",
    ],
    ["a name given twice", () => parsePromptTexts("=== a ===\n1\n=== a ===\n2"), 'two texts are called "a"'],
  ])("is an error with %s", (_, render, message) => {
    expect(render).toThrow(message);
  });

  it("is read from beside the module that speaks it", () => {
    const folder = mkdtempSync(path.join(tmpdir(), "prompt-"));
    writeFileSync(path.join(folder, "some.md"), "Go.\n");

    const texts = loadPromptTexts(pathToFileURL(path.join(folder, "some.ts")).href, "some.md");

    expect([...texts]).toEqual([["", "Go."]]);
  });
});
