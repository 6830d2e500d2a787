import { describe, expect, it } from "vitest";
import { commitInRoom } from "../../../../src/agent/commit-in-room.ts";
import type { FailureClass } from "../../../../src/domain/category.ts";
import type { Check } from "../../../../src/domain/check.ts";
import type { Problem } from "../../../../src/domain/problem.ts";
import { NO_CONTEXT } from "../../../../src/repair/context.ts";
import { autofixEngine } from "../../../../src/repair/engines/autofix/engine.ts";
import { loadCommandFacts } from "../../../../src/tools/command-facts.ts";
import { TOOLS } from "../../../../src/tools/tools.ts";
import { canRun, type Files, openRealBench, plainCheck } from "../../../fakes/real-bench.ts";

interface Case {
  readonly name: string;
  /** A program that has to be on PATH; the others come with our own packages or with Node. */
  readonly needs?: string;
  readonly files: Files;
  readonly command: string;
  readonly tool: string;
  readonly category: FailureClass;
  readonly changed: readonly string[];
  readonly installs?: boolean;
  readonly earlier?: readonly Check[];
  readonly notRun?: string;
  /** The room breaks down before the engine starts. */
  readonly closed?: boolean;
}

const MANIFEST = JSON.stringify({ name: "app", version: "1.0.0", dependencies: { dep: "file:./dep" } }, null, 2);
const DEP = { "dep/package.json": `${JSON.stringify({ name: "dep", version: "1.0.0" })}\n`, "dep/index.js": "\n" };
const NPM_LOCK = JSON.stringify({
  name: "app",
  version: "1.0.0",
  lockfileVersion: 3,
  requires: true,
  packages: { "": { name: "app", version: "1.0.0" } },
});
const GENERATOR = "printf 'made from %s\\n' \"$(cat source.txt)\" > made.txt\n";
const CARGO = '[package]\nname = "app"\nversion = "0.1.0"\nedition = "2021"\n';
const UGLY_RUST = 'fn main() {\nprintln!("hi");\n}\n';

const CASES: readonly Case[] = [
  {
    name: "prettier",
    files: { "src/a.js": "const a = {b:1}\n", "src/b.js": "const b = 1;\n" },
    command: "npx --no-install prettier --check src",
    tool: "prettier",
    category: "code_formatting",
    changed: ["src/a.js"],
  },
  {
    name: "prettier behind two package scripts",
    files: {
      "web/a.ts": "let a  = 1\n",
      "web/package.json": `${JSON.stringify({ scripts: { lint: "npm run format:check", "format:check": "prettier -l '*.ts'" } }, null, 2)}\n`,
    },
    command: "npm --prefix web run lint",
    tool: "prettier",
    category: "code_formatting",
    changed: ["web/a.ts"],
  },
  {
    name: "prettier on a package.json that keeps its meaning",
    files: { "package.json": '{"name":"app",\n"version":"1.0.0"}' },
    command: "npx --no-install prettier --check package.json",
    tool: "prettier",
    category: "code_formatting",
    changed: ["package.json"],
  },
  {
    name: "eslint",
    files: {
      "eslint.config.mjs": 'export default [{ rules: { "prefer-const": "error" } }];\n',
      "a.js": "let a = 1;\nexport { a };\n",
    },
    command: "npx --no-install eslint . --max-warnings 0",
    tool: "eslint",
    category: "linting",
    changed: ["a.js"],
  },
  {
    name: "biome",
    files: { "biome.json": "{}\n", "a.js": "const a = {b:1}\nexport {a}\n" },
    command: "npx --no-install biome ci a.js",
    tool: "biome",
    category: "code_formatting",
    changed: ["a.js"],
  },
  {
    name: "stylelint",
    files: {
      ".stylelintrc.json": '{ "rules": { "color-hex-length": "short" } }\n',
      "a.css": "a {\n  color: #ffffff;\n}\n",
    },
    command: 'npx --no-install stylelint "*.css"',
    tool: "stylelint",
    category: "linting",
    changed: ["a.css"],
  },
  {
    name: "npm's lock file",
    files: { "package.json": `${MANIFEST}\n`, "package-lock.json": `${NPM_LOCK}\n`, ...DEP },
    command: "npm ci --no-audit --no-fund",
    tool: "npm",
    category: "dependency_issue",
    changed: ["package-lock.json"],
    installs: true,
  },
  {
    name: "pnpm's lock file",
    files: {
      "package.json": `${MANIFEST}\n`,
      "pnpm-lock.yaml": "lockfileVersion: '9.0'\n\nimporters:\n\n  .: {}\n",
      ...DEP,
    },
    command: "pnpm install --frozen-lockfile",
    tool: "pnpm",
    category: "dependency_issue",
    changed: ["pnpm-lock.yaml"],
    installs: true,
  },
  {
    name: "yarn's lock file",
    files: { "package.json": `${MANIFEST}\n`, "yarn.lock": "# yarn lockfile v1\n\n\n", ...DEP },
    command: "yarn install --frozen-lockfile",
    tool: "yarn",
    category: "dependency_issue",
    changed: ["yarn.lock"],
    installs: true,
  },
  {
    name: "black",
    needs: "black",
    files: { "a.py": "x = {'a':1}\n", "b.py": "y = 1\n" },
    command: "black --check --diff .",
    tool: "black",
    category: "code_formatting",
    changed: ["a.py"],
  },
  {
    name: "isort",
    needs: "isort",
    files: { "a.py": "import sys\nimport os\n" },
    command: "isort --check-only a.py",
    tool: "isort",
    category: "code_formatting",
    changed: ["a.py"],
  },
  {
    name: "gofmt",
    needs: "gofmt",
    files: { "a.go": "package a\nfunc  A() int {return 1}\n", "vendor/b/b.go": "package b\nfunc  B() {}\n" },
    command: 'test -z "$(gofmt -l a.go)"',
    tool: "gofmt",
    category: "code_formatting",
    changed: ["a.go"],
  },
  {
    name: "cargo fmt",
    needs: "cargo",
    files: { "Cargo.toml": CARGO, "src/main.rs": UGLY_RUST },
    command: "cargo fmt --all -- --check",
    tool: "cargo fmt",
    category: "code_formatting",
    changed: ["src/main.rs"],
  },
  {
    name: "a generator in the same step",
    files: { "make.sh": GENERATOR, "source.txt": "two\n", "made.txt": "made from one\n" },
    command: "sh make.sh\ngit diff --exit-code",
    tool: "uncommitted changes",
    category: "configuration_error",
    changed: ["made.txt"],
  },
  {
    name: "a generator whose step undoes it",
    files: { "make.sh": GENERATOR, "source.txt": "two\n", "made.txt": "made from one\n" },
    command: "sh make.sh\nif ! git diff --quiet; then git checkout -- .; exit 1; fi",
    tool: "uncommitted changes",
    category: "configuration_error",
    changed: ["made.txt"],
  },
  {
    name: "a generator of new files",
    files: { "make.sh": GENERATOR, "source.txt": "two\n" },
    command: 'sh make.sh\ntest -z "$(git status --porcelain)"',
    tool: "uncommitted changes",
    category: "configuration_error",
    changed: ["made.txt"],
  },
];

const UGLY = { "a.js": "const a = {b:1}\n" };
const FORMAT = "npx --no-install prettier --check .";

async function repair(test: Omit<Case, "name" | "changed">, lend: boolean) {
  const { bench, runs, close } = await openRealBench(test.files, lend);
  try {
    const check = plainCheck(test.command, { installs: test.installs ?? false, notRun: test.notRun ?? null });
    const start = await bench.copy.snapshot();
    const before = await bench.runCheck(check);
    await bench.copy.restore(start);
    const paths = await bench.copy.listFiles();
    const facts = await loadCommandFacts({ paths, read: (path) => bench.copy.read(start, path) });
    const engine = autofixEngine({ facts, tools: TOOLS, earlierSteps: () => test.earlier ?? [] });
    const problem: Problem = {
      id: "p1",
      title: "red",
      category: test.category,
      tool: test.tool,
      failures: [],
      validation: "v1",
      files: [],
      origin: "observed",
      order: 1,
    };
    if (test.closed === true) await bench.room.close();
    const task = { problem, failures: [], check, before, otherSignatures: [], context: NO_CONTEXT };

    const result = await engine.repair(task, bench);

    const untouched = (await bench.copy.snapshot()) === start;
    return { before, result, untouched, check, said: runs.map(({ output }) => output).join("\n---\n") };
  } finally {
    await close();
  }
}

/** The patch on a copy that has never seen the engine. */
async function prove(files: Files, patch: string | null, check: Check, lend: boolean) {
  const { bench, close } = await openRealBench(files, lend);
  try {
    const complaint = await bench.copy.apply(patch ?? "");
    const changed = await bench.copy.changedFiles(bench.copy.base, await bench.copy.snapshot());
    await commitInRoom(bench.room);
    const { exitCode } = await bench.runCheck(check);
    return { complaint, changed, exitCode };
  } finally {
    await close();
  }
}

describe("autofix, with the real tools", () => {
  for (const test of CASES) {
    const missing = test.needs !== undefined && !canRun(test.needs);
    it.skipIf(missing)(
      `mends what ${test.name} finds${missing ? ` (skipped: no ${test.needs} here)` : ""}`,
      async () => {
        const lend = test.installs !== true;

        const { before, result, untouched, check, said } = await repair(test, lend);

        expect(before.exitCode, said).not.toBe(0);
        expect({ ...result, patch: result.patch !== null, usage: null, why: null }, `${result.why}\n${said}`).toEqual({
          exit: "done",
          patch: true,
          steps: 1,
          usage: null,
          why: null,
        });
        expect(untouched).toBe(true);
        expect(await prove(test.files, result.patch, check, lend)).toEqual({
          complaint: null,
          changed: test.changed,
          exitCode: 0,
        });
      },
    );
  }

  it("finds the generator in an earlier step of the job", async () => {
    const files = { "make.sh": GENERATOR, "source.txt": "two\n", "made.txt": "made from one\n" };
    const earlier = [plainCheck("npm ci", { installs: true }), plainCheck("sh make.sh")];

    // The step alone is green: a generator of the same job made it red.
    const { result } = await repair(
      {
        files,
        command: 'test "$(cat made.txt)" = "made from two" && git diff --exit-code',
        tool: "uncommitted changes",
        category: "configuration_error",
        earlier,
      },
      false,
    );

    expect(result).toMatchObject({ exit: "done", why: "sh make.sh: the check passes" });
  });

  it("uses the fixing twin of a script that nothing can be derived from", async () => {
    const scripts = { style: "sh style.sh", "style:fix": "printf 'tidy\\n' > a.txt" };
    const files = {
      "package.json": `${JSON.stringify({ scripts })}\n`,
      "style.sh": "grep -q tidy a.txt\n",
      "a.txt": "untidy? no: messy\n".replace("untidy", "un"),
    };

    const { result } = await repair(
      { files, command: "npm run style", tool: "style", category: "code_formatting" },
      false,
    );

    expect(result).toMatchObject({ exit: "done", why: "npm run style:fix: the check passes" });
  });

  it("keeps a partial patch when findings are left", async () => {
    const files = {
      "eslint.config.mjs": 'export default [{ rules: { "prefer-const": "error", "no-debugger": "error" } }];\n',
      "a.js": "let a = 1;\ndebugger;\nexport { a };\n",
    };

    const { result, untouched } = await repair(
      { files, command: "npx --no-install eslint .", tool: "eslint", category: "linting" },
      true,
    );

    expect(result).toMatchObject({ exit: "checks", patch: expect.stringContaining("+const a = 1;") });
    expect(untouched).toBe(true);
  });

  it.each([
    ["no fixer is known", UGLY, "sh -c 'exit 1'", "unknown", "no-rule"],
    ["the log's tool runs here and has no fixer", UGLY, `${FORMAT}\nnpx --no-install vitest run`, "vitest", "no-rule"],
    ["the fixer changes nothing", { "a.js": "const a = 1;\n" }, `${FORMAT} && exit 1`, "prettier", "no-change"],
    ["the tool is not installed", UGLY, "./node_modules/.bin/prettier --check .", "prettier", "not-run"],
    ["the tool is no module here", UGLY, "python3 -m yapf --diff .", "yapf", "not-run"],
  ] as const)("ends truthfully when %s", async (_what, files, command, tool, exit) => {
    const lend = exit !== "not-run";

    const { result, untouched } = await repair({ files, command, tool, category: "code_formatting" }, lend);

    expect({ exit: result.exit, patch: result.patch, untouched }).toEqual({ exit, patch: null, untouched: true });
  });

  it("says so when the check cannot be run here", async () => {
    const { result } = await repair(
      {
        files: UGLY,
        command: FORMAT,
        tool: "prettier",
        category: "code_formatting",
        notRun: "CI ran it on Windows",
      },
      true,
    );

    expect(result).toMatchObject({
      exit: "done",
      why: "npx --no-install prettier --write .; the check cannot be run here: CI ran it on Windows",
      patch: expect.stringContaining("+const a = { b: 1 };"),
    });
  });

  it("ends as not run when the room breaks down", async () => {
    const { result, untouched } = await repair(
      { files: UGLY, command: FORMAT, tool: "prettier", category: "code_formatting", closed: true },
      true,
    );

    expect({ ...result, usage: null, untouched }).toEqual({
      exit: "not-run",
      why: "the room is closed",
      patch: null,
      steps: 1,
      usage: null,
      untouched: true,
    });
  });

  it("lets a fixer mend the white space of a manifest", async () => {
    const scripts = { style: "sh style.sh", "style:fix": "sed -i 's/ *$//' requirements.txt" };
    const files = {
      "package.json": `${JSON.stringify({ scripts })}\n`,
      "style.sh": "! grep -q ' $' requirements.txt\n",
      "requirements.txt": "rates==1.0  \n",
    };

    const { result } = await repair(
      { files, command: "npm run style", tool: "style", category: "code_formatting" },
      false,
    );

    expect(result).toMatchObject({ exit: "done", patch: expect.stringContaining("+rates==1.0\n") });
  });

  it("takes out what a formatter has no business changing", async () => {
    const files = { "gen.sh": "sed -i 's/1/2/' package.json\n", "package.json": '{"version":"1"}\n', "a.txt": "x\n" };
    const scripts = { style: "false", "style:fix": "sh gen.sh; echo tidy > a.txt" };

    const { result } = await repair(
      {
        files: { ...files, "package.json": `${JSON.stringify({ version: "1", scripts })}\n` },
        command: "npm run style",
        tool: "style",
        category: "code_formatting",
      },
      false,
    );

    expect(result.exit).toBe("checks");
    expect(result.patch).toContain("a/a.txt");
    expect(result.patch).not.toContain("package.json");
  });
});
