import { describe, expect, it } from "vitest";
import { readWorkflow } from "../../src/evidence/read-workflow.ts";

const read = (text: string) => readWorkflow(".github/workflows/ci.yml", text);

describe("reading a workflow file", () => {
  it("gives its jobs with what runs where", async () => {
    const workflow = await read(`name: CI
on: { push: {}, pull_request: {} }
env: { LEVEL: 1 }
defaults: { run: { shell: bash } }
jobs:
  lint:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - run: npm run lint
        continue-on-error: true
  test:
    name: Test \${{ matrix.node }}
    needs: lint
    if: github.event_name == 'push'
    runs-on: [self-hosted, linux]
    container: { image: "node:20" }
    services: { db: { image: postgres } }
    strategy: { fail-fast: false, matrix: { node: [20, 22] } }
    defaults: { run: { working-directory: web } }
    steps:
      - name: Tests
        run: npm test
        env: { CI: true }
`);

    expect(workflow).toMatchObject({
      path: ".github/workflows/ci.yml",
      name: "CI",
      events: ["push", "pull_request"],
      env: { LEVEL: "1" },
      errors: [],
    });
    expect(workflow.jobs).toMatchObject([
      {
        key: "lint",
        name: null,
        needs: [],
        runsOn: ["ubuntu-latest"],
        legs: [{}],
        defaultShell: "bash",
        steps: [
          { index: 1, uses: "actions/checkout@v4", run: null, line: 9 },
          { index: 2, run: "npm run lint", continueOnError: "true", line: 10 },
        ],
      },
      {
        key: "test",
        name: "Test ${{ matrix.node }}",
        needs: ["lint"],
        if: "github.event_name == 'push'",
        runsOn: ["self-hosted", "linux"],
        container: "node:20",
        services: ["db"],
        legs: [{ node: 20 }, { node: 22 }],
        failFast: false,
        defaultWorkingDirectory: "web",
        steps: [{ index: 1, name: "Tests", run: "npm test", env: { CI: "true" } }],
      },
    ]);
  });

  it.each([
    ["a wrong key", "on: push\njobs:\n  a:\n    runs-on: x\n    step: []\n", /step/, 5],
    ["a broken expression", "on: push\njobs:\n  a:\n    runs-on: x\n    steps:\n      - run: echo ${{ ( }}\n", /./, 6],
    ["no YAML", "on: push\njobs: [\n", /./, null],
    [
      "an unknown need",
      "on: push\njobs:\n  a:\n    needs: nope\n    runs-on: x\n    steps: [{ run: ls }]\n",
      /nope/,
      null,
    ],
    ["nothing", "", /./, null],
  ])("says where %s is", async (_name, text, message, line) => {
    const { errors } = await read(text);

    expect(errors.length).toBeGreaterThan(0);
    const said = errors.find((error) => message.test(error.message));
    expect(said).toBeDefined();
    if (line !== null) expect(said?.line).toBe(line);
  });
});
