import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { stripAnsi } from "../../src/text/ansi.ts";

describe("stripAnsi", () => {
  it.each([
    ["colours", "\u001b[36;1mnpm test\u001b[0m", "npm test"],
    ["cursor moves and erasing", "\u001b[2K\u001b[1Gdone", "done"],
    ["titles ended by a bell", "\u001b]0;title\u0007text", "text"],
    ["hyperlinks ended by ST", "\u001b]8;;https://example.org\u001b\\link\u001b]8;;\u001b\\", "link"],
    ["256 colours", "\u001b[38;5;196mred\u001b[39m", "red"],
    ["a lone escape", "a\u001b", "a"],
    ["no escapes at all", "plain [31m text", "plain [31m text"],
  ])("takes out %s", (_name, text, expected) => {
    expect(stripAnsi(text)).toBe(expected);
  });

  it("leaves no escape in any text and never throws", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "binary" }),
        (text) => !stripAnsi(`\u001b[${text}\u001b]${text}`).includes("\u001b"),
      ),
    );
  });
});
