import { SandboxUnavailable } from "../../ports/sandbox.ts";

/** How a step's script becomes a program: what stands in the file, and what is run with the file's path. */
export interface ShellForm {
  readonly extension: string;
  /** Words of the command; `{0}` is the script file. */
  readonly words: readonly string[];
  readonly wrap?: (script: string) => string;
}

// As the runner's documentation has them ("jobs.<job_id>.steps[*].shell"); `null` is a step that names none.
const UNNAMED: ShellForm = { extension: ".sh", words: ["bash", "-e", "{0}"] };

const NAMED: Readonly<Record<string, ShellForm>> = {
  bash: { extension: ".sh", words: ["bash", "--noprofile", "--norc", "-eo", "pipefail", "{0}"] },
  sh: { extension: ".sh", words: ["sh", "-e", "{0}"] },
  python: { extension: ".py", words: ["python", "{0}"] },
  // Not a keyword on a runner, where it would be `node {0}`; that is what people mean.
  node: { extension: ".js", words: ["node", "{0}"] },
  pwsh: {
    extension: ".ps1",
    words: ["pwsh", "-command", ". '{0}'"],
    wrap: (script) =>
      `$ErrorActionPreference = 'stop'\n${script}\nif ((Test-Path -LiteralPath variable:\\LASTEXITCODE)) { exit $LASTEXITCODE }\n`,
  },
};

/** The form a step's `shell` asks for. Throws SandboxUnavailable for a name that is neither known nor a template with `{0}`. */
export function shellForm(shell: string | null): ShellForm {
  if (shell === null) return UNNAMED;
  const named = NAMED[shell.trim()];
  if (named !== undefined) return named;
  if (!shell.includes("{0}")) {
    throw new SandboxUnavailable(`the shell "${shell}" is not known here and has no {0} for the script`);
  }
  return { extension: "", words: splitWords(shell) };
}

/** Words of a template; single and double quotes keep blanks together. */
function splitWords(template: string): string[] {
  return [...template.matchAll(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g)].map((match) => match[0].replace(/["']/g, ""));
}

/** The command line that runs the script at `file`. */
export function shellCommand(form: ShellForm, file: string): string[] {
  return form.words.map((word) => word.replaceAll("{0}", file));
}
