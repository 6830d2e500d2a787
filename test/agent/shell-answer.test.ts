import { describe, expect, it } from "vitest";
import { splitCheckWord } from "../../src/agent/check-word.ts";
import { readShellAnswer } from "../../src/agent/shell-answer.ts";
import { NO_USAGE } from "../../src/domain/usage.ts";
import type { ChatAnswer } from "../../src/ports/llm.ts";

const said = (content: string): ChatAnswer => ({
  content,
  toolCalls: [],
  finish: "stop",
  usage: NO_USAGE,
  usageEstimated: false,
});

describe("a command in a fenced block", () => {
  it.each([
    ["one block", "So:\n\n```bash\nls -l\n```\n", "ls -l"],
    ["a block of several lines with Windows line ends", "```sh\r\ncd a\r\nls\r\n```\r\n", "cd a\r\nls"],
    ["a longer fence around a shorter one", "````bash\ncat <<E\n```\nx\n```\nE\n````", "cat <<E\n```\nx\n```\nE"],
    ["an example in another language beside it", '```python\nprint("ls")\n```\n```bash\nls\n```', "ls"],
  ])("is read from %s", (_, content, command) => {
    expect(readShellAnswer(said(content), "fenced")).toEqual({ command, call: null, surplus: [] });
  });

  it.each([
    ["a block that is never closed", "```bash\nls", { name: "no-command" }],
    ["a block in the middle of a line", "Run ```bash ls```", { name: "no-command" }],
    ["a block without a language", "```\nls\n```", { name: "no-command" }],
    ["two blocks", "```bash\nls\n```\n```sh\npwd\n```", { name: "many-blocks", count: 2 }],
  ])("is not read from %s", (_, content, mistake) => {
    expect(readShellAnswer(said(content), "fenced")).toEqual({ mistake });
  });

  it("does not let a call of a tool count, since none was offered", () => {
    const answer = { ...said(""), toolCalls: [{ id: "a", name: "bash", arguments: '{"command":"ls"}' }] };

    expect(readShellAnswer(answer, "fenced")).toEqual({ mistake: { name: "empty" } });
  });
});

it.each<[string, () => unknown]>([
  ["blocks that open and never close", () => readShellAnswer(said("```bash\n".repeat(25_000)), "fenced")],
  ["ticks", () => readShellAnswer(said("`".repeat(200_000)), "fenced")],
  ["a check word piped on and on", () => splitCheckWord(`retrace-check${" | cat".repeat(30_000)} x;y`)],
  ["check words", () => splitCheckWord("retrace-check | cat ".repeat(10_000))],
  ["blanks", () => splitCheckWord(`${" ".repeat(200_000)}x`)],
])("%s are read in no time, however many", (_, read) => {
  const started = performance.now();

  read();

  expect(performance.now() - started).toBeLessThan(500);
});
