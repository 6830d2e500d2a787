import path from "node:path";
import type { Workbench } from "../../../agent/workbench.ts";
import { SandboxUnavailable } from "../../../ports/sandbox.ts";
import { elide } from "../../../text/elide.ts";
import { redact } from "../../../text/redact.ts";

/** A linter or type checker that the repository itself has set up. */
interface Linter {
  readonly name: string;
  readonly extensions: RegExp;
  /** One of these stands in the tree: nobody asked for a linter that is not configured. */
  readonly configured: RegExp;
  /** Prints what it finds in one file; `{file}` is quoted. */
  readonly command: string;
}

const JS = /\.[cm]?[jt]sx?$/;

const LINTERS: readonly Linter[] = [
  {
    name: "eslint",
    extensions: JS,
    configured: /(?:^|\/)(?:eslint\.config\.[cm]?[jt]s|\.eslintrc(?:\.\w+)?)$/,
    command: "node_modules/.bin/eslint --no-color {file}",
  },
  {
    name: "tsc",
    extensions: /\.[cm]?tsx?$/,
    configured: /(?:^|\/)tsconfig\.json$/,
    command: "node_modules/.bin/tsc --noEmit --pretty false | grep -F {file}",
  },
  {
    name: "biome",
    extensions: JS,
    configured: /(?:^|\/)biome\.jsonc?$/,
    command: "node_modules/.bin/biome lint --colors=off {file}",
  },
  {
    name: "ruff",
    extensions: /\.pyi?$/,
    configured: /(?:^|\/)(?:\.?ruff\.toml|pyproject\.toml)$/,
    command: "ruff check --output-format concise --no-cache {file}",
  },
  {
    name: "mypy",
    extensions: /\.pyi?$/,
    configured: /(?:^|\/)(?:mypy\.ini|\.mypy\.ini)$/,
    command: "mypy --no-color-output --cache-dir /dev/null {file}",
  },
  {
    name: "flake8",
    extensions: /\.py$/,
    configured: /(?:^|\/)(?:\.flake8|setup\.cfg|tox\.ini)$/,
    command: "flake8 {file}",
  },
  { name: "go vet", extensions: /\.go$/, configured: /(?:^|\/)go\.mod$/, command: "go vet ./{folder}" },
];

const LINTER_MS = 60_000;
const ENDS = { head: 1_500, tail: 500 };

/**
 * What the repository's own linters say about one file, as text; "" when none is configured, installed, or finds anything.
 * The tree is given back as it was. Never throws for what a command does.
 */
export async function findingsIn(file: string, bench: Workbench): Promise<string> {
  const paths = await bench.copy.listFiles();
  const own = LINTERS.filter(
    ({ extensions, configured }) => extensions.test(file) && paths.some((one) => configured.test(one)),
  );
  const start = await bench.copy.snapshot();
  const said: string[] = [];
  try {
    for (const { name, command } of own) {
      const script = command
        .replaceAll("{file}", quoted(file))
        .replaceAll("{folder}", quoted(path.posix.dirname(file)));
      const ran = await bench.room.run({
        script,
        shell: "bash",
        cwd: "",
        env: {},
        network: "off",
        timeoutMs: LINTER_MS,
      });
      const lacking = ran.exitCode === 126 || ran.exitCode === 127 || ran.timedOut;
      if (!lacking && ran.exitCode !== 0 && ran.output.trim() !== "")
        said.push(`${name}:\n${redact(ran.output).trim()}`);
    }
  } catch (error) {
    if (!(error instanceof SandboxUnavailable)) throw error;
  } finally {
    await bench.copy.restore(start);
  }
  return elide(said.join("\n\n"), ENDS);
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}
