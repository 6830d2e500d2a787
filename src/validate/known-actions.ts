/**
 * Actions that do nothing but run one command with their defaults, and that command. What is given to them by `with:` is
 * not known here.
 */
const COMMANDS: Readonly<Record<string, string>> = {
  "pre-commit/action": "pre-commit run --show-diff-on-failure --color=always --all-files",
  "psf/black": "black --check --diff .",
  "astral-sh/ruff-action": "ruff check",
  "chartboost/ruff-action": "ruff check .",
  "golangci/golangci-lint-action": "golangci-lint run",
  "isort/isort-action": "isort --check-only --diff .",
  "crate-ci/typos": "typos",
  "codespell-project/actions-codespell": "codespell --check-filenames",
  "py-actions/flake8": "flake8 .",
  "jakebailey/pyright-action": "pyright",
  "embarkstudios/cargo-deny-action": "cargo deny --all-features check",
  "davidanson/markdownlint-cli2-action": 'markdownlint-cli2 "*.{md,markdown}"',
  "biomejs/biome-action": "biome ci .",
};

const ACTION = /^(?:uses:\s*)?((?:[\w.-]+\/[\w.-]+)(?:\/[\w./-]+)?|docker:\/\/\S+|\.{1,2}\/\S+)(?:@\S+)?$/;

/**
 * The action that a validation's command is, e.g. `actions/checkout`; null for a script. An action is written with its
 * version (`owner/name@v1`) or after `uses:`, so that a script that is a path stays one.
 */
export function actionOf(command: string): string | null {
  const text = command.trim();
  if (!text.startsWith("uses:") && !/^[\w.-]+\/[\w./-]+@[\w./-]+$/.test(text)) return null;
  return ACTION.exec(text)?.[1] ?? null;
}

/** The command an action runs; null when it does more than that, or is not known. */
export function commandOfAction(action: string): string | null {
  const [owner = "", name = ""] = action.toLowerCase().split("/");
  return COMMANDS[`${owner}/${name}`] ?? null;
}
