import { describe, expect, it } from "vitest";
import { type CommandFacts, NO_FACTS, simpleCommands, withoutRunner } from "../../src/tools/resolve-command.ts";

const PACKAGES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "": {
    prelint: "node tools/warm-up.js",
    lint: "eslint . && npm run format:check",
    "format:check": "prettier --check 'lib/**'",
    check: "run-s format:check unit:*",
    "unit:fast": "vitest run lib",
    "unit:slow": "vitest run slow",
    loop: "npm run loop",
    ping: "npm run pong",
    pong: "npm run ping",
    test: "mocha",
    build: "tsup",
  },
  web: { build: "vite build", lint: "stylelint '**/*.css'" },
  "packages/core": { lint: "biome ci ." },
};

const RECIPES: Readonly<Record<string, readonly string[]>> = {
  style: ["@npm run format:check", "-cd web && npx stylelint x.css", "for f in a b; do \\", "  black $$f; done"],
};

const facts: CommandFacts = {
  packageScripts: (folder) => PACKAGES[folder] ?? null,
  makeTarget: (folder, target) => (folder === "" ? (RECIPES[target] ?? null) : null),
};

/** `folder: command`, the shortest way to say what would start where. */
const shown = (script: string, known: CommandFacts = facts): string[] =>
  simpleCommands(script, "", known).map(({ text, cwd }) => `${cwd}: ${text}`);

describe("a script is taken apart as a shell would", () => {
  it.each([
    ["lists and pipes", "a 1 && b || c; d | e & f", [": a 1", ": b", ": c", ": d", ": e", ": f"]],
    ["lines and comments", "a # not this && b\n# c\n\nd", [": a", ": d"]],
    ["continued lines", "prettier --check \\\n  src \\\n  test", [": prettier --check src test"]],
    ["Windows line ends", "a\r\nb\r\n", [": a", ": b"]],
    ["quotes and escapes", `x "a && b" 'c; d' e\\;f`, [`: x "a && b" 'c; d' e\\;f`]],
    ["redirections left out", "a > out.txt 2>&1 < in; b &> log; c >>x", [": a", ": b", ": c"]],
    ["here documents skipped", "cat <<'END' > x\nrm me\nEND\nls", [": cat", ": ls"]],
    ["changed folders", "cd web && a; cd ..; b; cd web/src\nc", ["web: a", ": b", "web/src: c"]],
    ["a folder changed back", "cd web; a; cd -; b; pushd web; c; popd; d", ["web: a", ": b", "web: c", ": d"]],
    ["a runner's own checkout path", 'cd "$GITHUB_WORKSPACE/web" && a', ["web: a"]],
    ["an absolute checkout path", "cd /home/runner/work/app/app/web && a", ["web: a"]],
    ["subshells keep their folder to themselves", "(cd web && a); b", ["web: a", ": b"]],
    ["if and else", "if ! a; then b; elif c; then d; else e; fi", [": a", ": b", ": c", ": d", ": e"]],
    ["a condition in a subshell", "if (cd web && a); then b; fi", ["web: a", ": b"]],
    ["loops", "for f in x y; do a $f; done\nwhile b; do c; done", [": a $f", ": b", ": c"]],
    ["case", "case $x in\n a|b) c 1 ;;\n *) d ;;\nesac\ne", [": c 1", ": d", ": e"]],
    ["functions", "f() { a; }\nf", [": a", ": f"]],
    ["what only changes the shell", "set -euo pipefail\nexport A=1\ntrap - EXIT\na", [": a"]],
    ["substitutions first", 'test -z "$(gofmt -l .)"', [": gofmt -l .", ': test -z "$(gofmt -l .)"']],
    ["substitutions in assignments", "OUT=$(black --check .)\nb", [": black --check .", ": b"]],
    ["backticks", "test -z `gofmt -l .`", [": gofmt -l .", ": test -z `gofmt -l .`"]],
    ["arithmetic is no command", "echo $((1 + 2))", [": echo $((1 + 2))"]],
    ["expressions of a workflow", "a ${{ matrix.x && 'y' }} b", [": a ${{ matrix.x && 'y' }} b"]],
    ["an open quote", "a 'b c", [": a 'b c"]],
    ["nothing", " \n ", []],
  ])("%s", (_what, script, expected) => {
    expect(shown(script, NO_FACTS)).toEqual(expected);
  });

  it("keeps leading and exported assignments", () => {
    const commands = simpleCommands("export CI=true\nA=1 B='x y' make all\nls", "web", NO_FACTS);

    expect(commands).toEqual([
      { text: "make all", cwd: "web", env: { CI: "true", A: "1", B: "x y" }, via: [] },
      { text: "ls", cwd: "web", env: { CI: "true" }, via: [] },
    ]);
  });
});

describe("names that the repository defines are looked up", () => {
  it.each([
    ["npm test", [": mocha"]],
    ["npm t", [": mocha"]],
    ["npm run format:check", [": prettier --check 'lib/**'"]],
    ["npm run --silent format:check -- --log-level warn", [": prettier --check 'lib/**' --log-level warn"]],
    ["pnpm format:check --cache", [": prettier --check 'lib/**' --cache"]],
    ["pnpm run format:check", [": prettier --check 'lib/**'"]],
    ["yarn format:check", [": prettier --check 'lib/**'"]],
    ["yarn run build", [": tsup"]],
    ["bun run build", [": tsup"]],
    ["bun test", [": bun test"]],
    ["node --run build", [": tsup"]],
    ["npm run lint", [": node tools/warm-up.js", ": eslint .", ": prettier --check 'lib/**'"]],
    ["npm --prefix web run build", ["web: vite build"]],
    ["npm run build --prefix web", ["web: vite build"]],
    ["npm run build -w web", ["web: vite build"]],
    ["npm run lint --workspace=@app/core", ["packages/core: biome ci ."]],
    ["pnpm -C web build", ["web: vite build"]],
    ["pnpm --filter @app/core lint", ["packages/core: biome ci ."]],
    ["yarn --cwd web build", ["web: vite build"]],
    ["yarn workspace @app/core lint", ["packages/core: biome ci ."]],
    ["cd web/src && npm run build", ["web: vite build"]],
    ["npm run check", [": prettier --check 'lib/**'", ": vitest run lib", ": vitest run slow"]],
    ["npx npm-run-all --parallel unit:fast build", [": vitest run lib", ": tsup"]],
    ['concurrently -n a,b "npm:unit:*" "eslint ."', [": vitest run lib", ": vitest run slow", ": eslint ."]],
    ["bash -ec 'cd web && yarn build'", ["web: vite build"]],
    ["CI=1 npx cross-env X=1 npm run build", [": tsup"]],
    ["make style", [": prettier --check 'lib/**'", "web: npx stylelint x.css", ": black $f"]],
    ["make -C . -j4 style", [": prettier --check 'lib/**'", "web: npx stylelint x.css", ": black $f"]],
  ])("%s", (script, expected) => {
    expect(shown(script)).toEqual(expected);
  });

  it.each([
    "npm run nope",
    "npm ci",
    "pnpm install --frozen-lockfile",
    "pnpm -r run lint",
    "npm run lint --workspaces",
    "npm run lint --workspace nowhere",
    "make nothing",
    "make -f other.mk style",
    "./script/lint",
    "run-s missing",
  ])("%s stays as it is", (script) => {
    expect(shown(script)).toEqual([`: ${script}`]);
  });

  it("says what led to a command, outermost first", () => {
    const last = simpleCommands("make style && npm run lint", "", facts).at(-1);

    expect(last).toEqual({
      text: "prettier --check 'lib/**'",
      cwd: "",
      env: {},
      via: ["npm run lint", "npm run format:check"],
    });
  });

  it.each(["npm run loop", "npm run ping"])("%s ends although it calls itself", (script) => {
    expect(shown(script)).toHaveLength(1);
  });
});

describe("withoutRunner", () => {
  it.each([
    ["npx --no-install prettier --check .", "prettier --check ."],
    ["npx -y prettier@3.1 --check .", "prettier --check ."],
    ["npx -p typescript tsc", "tsc"],
    ["npm exec -- eslint .", "eslint ."],
    ["pnpm exec eslint .", "eslint ."],
    ["pnpm -C web exec eslint .", "eslint ."],
    ["pnpm eslint 'a b'", "eslint 'a b'"],
    ["yarn run eslint .", "eslint ."],
    ["bunx @biomejs/biome ci", "biome ci"],
    ["python -m black --check .", "black --check ."],
    ["python3.12 -W ignore -m isort -c .", "isort -c ."],
    ["uv run --frozen --group dev ruff check", "ruff check"],
    ["uvx ruff@0.5 check", "ruff check"],
    ["poetry run python -m black .", "black ."],
    ["pipenv run flake8", "flake8"],
    ["bundle exec rubocop -D", "rubocop -D"],
    ["./node_modules/.bin/eslint .", "eslint ."],
    ["node_modules/.bin/eslint .", "eslint ."],
    ["vendor/bin/pint --test", "pint --test"],
    ["A=1 timeout -k 5 60 sudo -E env B=2 npx eslint .", "eslint ."],
    ["xvfb-run -a npx cross-env C=1 mocha", "mocha"],
    ["yarn install --immutable", "yarn install --immutable"],
    ["pnpm install", "pnpm install"],
    ["npm ci", "npm ci"],
    ["python manage.py test", "python manage.py test"],
    ["cargo fmt --all -- --check", "cargo fmt --all -- --check"],
    ["", ""],
  ])("%s → %s", (command, expected) => {
    expect(withoutRunner(command)).toBe(expected);
  });
});
