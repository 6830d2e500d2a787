import { describe, expect, it } from "vitest";
import type { Failure } from "../../src/domain/evidence.ts";
import { type CommandFacts, NO_FACTS } from "../../src/tools/resolve-command.ts";
import { type PlanFacts, planValidation } from "../../src/validate/plan.ts";
import { check, evidence, problem, validation } from "./validations.ts";

const NOTHING: PlanFacts = { validate: { setup: [], commands: [] }, commands: NO_FACTS, lent: [], lentEnv: {} };

const SCRIPTS: CommandFacts = {
  ...NO_FACTS,
  packageScripts: (folder) => (folder === "" ? { "ci:deps": "npm ci", test: "vitest run", lint: "eslint ." } : null),
};

const installing = validation({ id: "v1", command: "npm ci", kind: "install" });
const building = validation({ id: "v2", command: "npm run build", kind: "build" });
const linting = validation({ id: "v3", command: "npm run lint", kind: "lint", tool: "eslint" });
const failing = validation({
  id: "v4",
  command: "npm test",
  kind: "test",
  tool: "vitest",
  status: "failed",
  context: { workingDirectory: "./web/", shell: "bash", env: { TZ: "UTC" }, obstacles: [], runtimes: { node: "20" } },
});
const deploying = validation({ id: "v5", command: "npm publish", kind: "deploy", status: "unreached" });

describe("a plan for one problem", () => {
  it("runs the failing command as CI did, after what came before it, with the job's other passing checks", () => {
    const plan = planValidation(problem("v4"), evidence([installing, building, linting, failing, deploying]), NOTHING);

    expect(plan).toEqual({
      setup: [
        { check: check({ command: "npm ci", installs: true, validation: "v1" }), mayFail: false, timeoutMs: 900_000 },
      ],
      prepare: [check({ command: "npm run build", validation: "v2" })],
      check: check({
        command: "npm test",
        cwd: "web",
        shell: "bash",
        env: { TZ: "UTC" },
        tool: "vitest",
        validation: "v4",
      }),
      alsoPassing: [check({ command: "npm run lint", tool: "eslint", validation: "v3" })],
      notes: [],
    });
  });

  it("leaves out steps of other jobs, failed ones and those that lie behind", () => {
    const all = [
      validation({ id: "v1", command: "pip install tox", kind: "install", job: "lint", jobKey: "lint" }),
      validation({ id: "v2", command: "npm install", kind: "install", status: "failed" }),
      validation({ id: "v4", command: "npm test", kind: "test", status: "failed" }),
      validation({ id: "v5", command: "npm ci", kind: "install" }),
    ];

    expect(planValidation(problem("v4"), evidence(all), NOTHING).setup).toEqual([]);
  });

  it.each([
    ["a command that installs before it tests", { command: "npm ci && npm test" }, NO_FACTS, true],
    ["a package script that installs", { command: "npm run ci:deps" }, SCRIPTS, true],
    ["a package script that does not", { command: "npm test" }, SCRIPTS, false],
    ["a build that resolves as it goes", { command: "./gradlew check" }, NO_FACTS, true],
  ])("knows %s", (_, about, commands, installs) => {
    const one = validation({ id: "v1", status: "failed", ...about });

    expect(planValidation(problem("v1"), evidence([one]), { ...NOTHING, commands }).check.installs).toBe(installs);
  });

  it.each([
    [
      "obstacles",
      { command: "make", context: { obstacles: ["it runs on windows-latest", "it needs the service redis"] } },
      "it runs on windows-latest; it needs the service redis",
    ],
    [
      "an expression",
      { command: "curl -H '${{ secrets.TOKEN }}' x" },
      "it needs ${{ secrets.TOKEN }}, which only CI knows",
    ],
    [
      "an expression in its environment",
      { command: "make", context: { env: { V: "${{ needs.a.outputs.v }}" } } },
      "it needs ${{ needs.a.outputs.v }}, which only CI knows",
    ],
    [
      "a folder outside",
      { command: "make", context: { workingDirectory: "../other" } },
      "its working directory ../other is outside of the repository",
    ],
    ["no command", { command: " " }, "the log does not tell its command"],
    ["an action", { command: "owner/some-action@v3" }, "owner/some-action is an action, not a command"],
    ["an image", { command: "docker://alpine:3" }, "docker://alpine:3 is an action, not a command"],
    [
      "an action of its own",
      { command: "./.github/actions/check" },
      "./.github/actions/check is an action, not a command",
    ],
  ])("says why a command with %s is not run", (_, about, notRun) => {
    const empty = { workingDirectory: "", shell: null, env: {}, obstacles: [], runtimes: {} };
    const one = validation({
      id: "v1",
      status: "failed",
      ...about,
      context: { ...empty, ...("context" in about ? about.context : {}) },
    });

    expect(planValidation(problem("v1"), evidence([one]), NOTHING).check.notRun).toBe(notRun);
  });

  it.each([
    ["pre-commit/action@v3.0.1", "pre-commit run --show-diff-on-failure --color=always --all-files"],
    ["psf/black@stable", "black --check --diff ."],
    ["golangci/golangci-lint-action@v6", "golangci-lint run"],
  ])("runs what the action %s would run", (command, expected) => {
    const plan = planValidation(
      problem("v1"),
      evidence([validation({ id: "v1", status: "failed", command })]),
      NOTHING,
    );

    expect(plan.check).toEqual(check({ command: expected, validation: "v1" }));
  });

  it("takes a script in the repository for a script", () => {
    const plan = planValidation(problem("v1"), evidence([validation({ id: "v1", command: "./ci/check.sh" })]), NOTHING);

    expect(plan.check).toEqual(check({ command: "./ci/check.sh", validation: "v1" }));
  });

  it("takes the leg that can be run here and names the others", () => {
    const leg = (id: string, job: string, obstacles: readonly string[]) =>
      validation({
        id,
        job,
        jobKey: "test",
        command: "npm test",
        step: { number: 5, name: "Run tests" },
        kind: "test",
        status: "failed",
        context: { workingDirectory: "", shell: null, env: {}, obstacles, runtimes: {} },
      });
    const legs = [
      leg("v1", "test (windows)", ["it runs on windows-latest"]),
      leg("v2", "test (18)", []),
      leg("v3", "test (20)", []),
    ];

    const plan = planValidation(problem("v1"), evidence(legs), NOTHING);

    expect(plan.check).toEqual(check({ validation: "v2" }));
    expect(plan.notes).toEqual([
      "not run here: test (windows) (it runs on windows-latest)",
      "not run here: test (20) (one leg is enough)",
    ]);
  });

  it("finds the check by the problem's failures when it names none", () => {
    const failure = { id: "f1", validation: "v4" } as Failure;

    const plan = planValidation(problem(null, ["f1"]), evidence([failing], [failure]), NOTHING);

    expect(plan.check.validation).toBe("v4");
  });

  it("has no check when nothing is known, and the repository's own when it names one", () => {
    const own = { ...NOTHING, validate: { setup: ["make deps"], commands: ["make check", "make lint"] } };

    const plans = [NOTHING, own].map((facts) => planValidation(problem(null), evidence([]), facts));

    expect(plans).toEqual([
      {
        setup: [],
        prepare: [],
        check: check({ command: "", notRun: "the log does not tell which command failed" }),
        alsoPassing: [],
        notes: [],
      },
      {
        setup: [{ check: check({ command: "make deps", installs: true }), mayFail: false, timeoutMs: 900_000 }],
        prepare: [],
        check: check({ command: "make check" }),
        alsoPassing: [check({ command: "make lint" })],
        notes: ["the repository's own check stands in for the failing one: the log does not tell which command failed"],
      },
    ]);
  });

  it("skips an install whose folder was lent, and keeps one whose folder was not", () => {
    const steps = [
      installing,
      validation({
        id: "v2",
        command: "npm ci",
        kind: "install",
        context: { ...installing.context, workingDirectory: "docs" },
      }),
      validation({ id: "v3", command: "npm ci\npip install x", kind: "install" }),
      failing,
    ];

    const lent = (folders: string[]) =>
      planValidation(problem("v4"), evidence(steps), { ...NOTHING, lent: folders }).setup.map(
        (step) => step.check.notRun,
      );

    expect(lent(["node_modules"])).toEqual(["node_modules was lent from the clone", null, null]);
    expect(lent(["docs/node_modules", ".venv"])).toEqual([null, "docs/node_modules was lent from the clone", null]);
  });

  it("gives every check what lent folders need, and the step's own environment precedence", () => {
    const facts = { ...NOTHING, lentEnv: { VIRTUAL_ENV: "/t/.venv", TZ: "lent" } };

    const plan = planValidation(problem("v4"), evidence([linting, failing]), facts);

    expect([plan.check.env, ...plan.alsoPassing.map(({ env }) => env)]).toEqual([
      { VIRTUAL_ENV: "/t/.venv", TZ: "UTC" },
      { VIRTUAL_ENV: "/t/.venv", TZ: "lent" },
    ]);
  });

  it("fetches beforehand what the check would download, and tries steps of unknown purpose", () => {
    const steps = [
      validation({ id: "v1", command: "./ci/prepare.sh" }),
      validation({ id: "v2", command: "cargo test", kind: "test", status: "failed" }),
    ];

    expect(planValidation(problem("v2"), evidence(steps), NOTHING).setup).toEqual([
      {
        check: check({ command: "./ci/prepare.sh", installs: true, validation: "v1" }),
        mayFail: true,
        timeoutMs: 120_000,
      },
      { check: check({ command: "cargo fetch", installs: true }), mayFail: true, timeoutMs: 900_000 },
    ]);
  });

  it("runs at most six other checks, two of them tests, the quick ones first", () => {
    const passed = (["test", "test", "test", "lint", "format", "type", "lint", "lint"] as const).map((kind, index) =>
      validation({ id: `v${index + 1}`, command: `${kind} ${index + 1}`, kind }),
    );

    const plan = planValidation(
      problem("v9"),
      evidence([...passed, validation({ id: "v9", command: "x", status: "failed" })]),
      NOTHING,
    );

    expect(plan.alsoPassing.map(({ command }) => command)).toEqual([
      "format 5",
      "lint 4",
      "lint 7",
      "lint 8",
      "type 6",
      "test 1",
    ]);
    expect(plan.notes).toEqual(["2 more checks of the job passed in CI and are left to it"]);
  });
});
