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

/** `owner/name@v1`, `docker://image`, `./.github/actions/name`: as evidence writes the action of a step without a script. */
const ACTION = /^(?:([\w.-]+\/[\w./-]+)@[\w./-]+|(docker:\/\/\S+)|(\.\/\.github\/actions\/\S+))$/;

/** The action that a validation's command is, without its version, e.g. `actions/checkout`; null for a script. */
export function actionOf(command: string): string | null {
  const [, published, image, own] = ACTION.exec(command.trim()) ?? [];
  return published ?? image ?? own ?? null;
}

/** The command an action runs; null when it does more than that, or is not known. */
export function commandOfAction(action: string): string | null {
  const [owner = "", name = ""] = action.toLowerCase().split("/");
  return COMMANDS[`${owner}/${name}`] ?? null;
}
