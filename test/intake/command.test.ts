import { describe, expect, it } from "vitest";
import { readCommand } from "../../src/intake/command.ts";

describe("a command in a comment", () => {
  it.each([
    ["/retrace", { name: "repair" }],
    ["  /retrace  ", { name: "repair" }],
    ["Thanks!\r\n\r\n/retrace\r\n", { name: "repair" }],
    ["/retrace explain", { name: "explain" }],
    ["/retrace stop", { name: "stop" }],
    ["/retrace retry", { name: "retry" }],
    ["/retrace status", { name: "status" }],
    ["/retrace help", { name: "help" }],
    ["/retrace fix 2", { name: "fix", problem: 2 }],
    ["/retrace hint use the new API", { name: "hint", text: "use the new API" }],
    ["/retrace engine base", { name: "engine", engine: "base" }],
    ["/retrace learn #12", { name: "learn", pullRequest: 12 }],
    ["/retrace forget exp_01", { name: "forget", id: "exp_01" }],
    ["first\n/retrace stop\n/retrace", { name: "stop" }],
  ])("is read from a line of its own: %j", (body, command) => {
    expect(readCommand(body)).toEqual(command);
  });

  it.each([
    "/retrace explain please",
    "/retrace engine magic",
    "/retrace fix 0",
    "/retrace STOP",
    "/retrace forget ../x",
  ])("that is none is said to be unknown: %j", (body) => {
    expect(readCommand(body)?.name).toBe("unknown");
  });

  it.each([
    "please /retrace",
    "> /retrace",
    "`/retrace`",
    "```\n/retrace\n```",
    "~~~sh\n/retrace\n~~~",
    "    /retrace",
    "/retracement",
    "//retrace",
    "/Retrace",
    "",
  ])("is not found where nobody gave one: %j", (body) => {
    expect(readCommand(body)).toBeNull();
  });
});
