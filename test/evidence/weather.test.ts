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
    ["cancelled", "##[error]The job was canceled because a newer one started."],
    ["infra_transient", "The job was not acquired by Runner of type hosted even after multiple attempts"],
    ["infra_transient", "Unhandled exception. System.IO.IOException: There is not enough space on the disk."],
    [
      "infra_transient",
      "fatal: unable to access 'https://git.example.org/a/b/': The requested URL returned error: 503",
    ],
    ["infra_transient", "curl: (28) Operation timed out after 30001 milliseconds with 0 bytes received"],
    ["infra_transient", "E: Failed to fetch http://deb.example.org/a.deb  Connection timed out [IP: 192.0.2.1 80]"],
    ["infra_transient", "urllib.error.HTTPError: HTTP Error 502: Bad Gateway"],
    [
      "infra_transient",
      'Error response from daemon: Get "https://registry.example.org/v2/": context deadline exceeded',
    ],
    ["infra_transient", "curl: (60) SSL certificate problem: certificate has expired"],
    ["infra_transient", 'error: Get "https://api.example.org": x509: certificate signed by unknown authority'],
    ["infra_transient", "HttpError: You have exceeded a secondary rate limit. Please wait a few minutes."],
    ["infra_transient", "##[error]Failed to CreateArtifact: Unable to make request: ENOTFOUND"],
    [
      "secret_or_permission",
      "##[error]Could not assume role with OIDC: Not authorized to perform sts:AssumeRoleWithWebIdentity",
    ],
    ["secret_or_permission", "##[error]Username and password required"],
    ["secret_or_permission", "git@example.org: Permission denied (publickey)."],
    [
      "secret_or_permission",
      "! [remote rejected] x -> x (refusing to allow a GitHub App to create or update workflow `.github/workflows/ci.yml` without `workflows` permission)",
    ],
    ["secret_or_permission", "remote: error: GH013: Repository rule violations found for refs/heads/main."],
  ])("knows %s by its words: %s", (wanted, text) => {
    expect(readWeather(step("working", text, "##[error]Process completed with exit code 1."))?.class).toBe(wanted);
  });

  it.each([
    [
      "an artifact that two jobs upload",
      ["##[error]Failed to CreateArtifact: Received non-retryable error: (409) Conflict"],
    ],
    [
      "code that speaks of the network",
      [
        "expected timeout of 30 to equal 60",
        "FAIL src/net.test.ts > says forbidden",
        "error: context deadline exceeded in TestPool",
      ],
    ],
    ["an action that is not there", ["##[error]Unable to resolve action `a/b@v9`, unable to find version `v9`"]],
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
