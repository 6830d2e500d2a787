import { describe, expect, it } from "vitest";
import { readWeather } from "../../src/evidence/weather.ts";

const step = (...texts: string[]) => ({ lines: texts.map((text, at) => ({ number: at + 1, text })) });

describe("weather", () => {
  it.each([
    ["cancelled", "##[error]The operation was canceled."],
    [
      "infra_transient",
      "##[error]The runner has received a shutdown signal. This can happen when the runner service is stopped.",
    ],
    ["infra_transient", "##[error]The action 'Test' has timed out after 360 minutes."],
    ["infra_transient", "tar: write error: No space left on device"],
    ["infra_transient", "curl: (6) Could not resolve host: registry.example.org"],
    ["infra_transient", "npm error network read ECONNRESET"],
    ["infra_transient", "error: failed to fetch: HTTP 503"],
    ["infra_transient", "toomanyrequests: You have reached your pull rate limit."],
    ["secret_or_permission", "RequestError [HttpError]: Resource not accessible by integration"],
    ["secret_or_permission", "##[error]Input required and not supplied: token"],
    ["secret_or_permission", "remote: Permission to acme/garden.git denied to github-actions[bot]."],
    ["secret_or_permission", "npm error code ENEEDAUTH"],
  ])("knows %s by its words: %s", (wanted, text) => {
    expect(readWeather(step("working", text, "##[error]Process completed with exit code 1."))?.class).toBe(wanted);
  });

  it.each([
    ["a program's own errors", ["src/a.ts:1: error TS2322", "AssertionError: expected 503 to be 200"]],
    [
      "a retry that was got over",
      ["##[warning]Failed to download action 'https://x'. Back off 3 seconds before retry.", "done"],
    ],
    [
      "trouble long before the end",
      ["curl: (6) Could not resolve host: x", ...Array.from({ length: 80 }, (_, at) => `test ${at} ok`)],
    ],
    ["nothing", []],
  ])("says nothing of %s", (_name, texts) => {
    expect(readWeather(step(...texts))).toBeNull();
  });

  it("takes the last sign when there are several", () => {
    const read = readWeather(step("npm error network ETIMEDOUT", "npm error code ENEEDAUTH"));

    expect(read).toEqual({
      class: "secret_or_permission",
      message: "npm error code ENEEDAUTH",
      lines: [2],
      fromOutside: false,
    });
  });
});
