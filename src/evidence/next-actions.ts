import { type FailureClass, isWeather } from "../domain/category.ts";
import type { Evidence, Failure, Validation } from "../domain/evidence.ts";
import { type CommandFacts, simpleCommands } from "../tools/resolve-command.ts";
import type { Tool } from "../tools/tool.ts";
import { answeringTools } from "./answering-tools.ts";

/** What a person can do about the failures of one check. */
export interface NextAction {
  /** Failures it is for. */
  readonly failures: readonly string[];
  readonly words: string;
  /** The failing tool's own fixer for this very command; null when it has none. */
  readonly fix: string | null;
  /** The narrowest command that shows whether it is repaired; null where nobody knows it. */
  readonly rerun: string | null;
  /** Folder for both, relative to the repository; "" is its root. */
  readonly cwd: string;
}

/** First words for each class; what names a command stands behind. */
const WORDS: Readonly<Record<FailureClass, string>> = {
  code_formatting: "Format the files named above.",
  linting: "Mend what the linter names, or change its rules where it is wrong.",
  syntax_error: "Mend the syntax at the place named above; later errors may only follow from it.",
  runtime_error: "Follow the stack from its first frame in your code.",
  test_failure: "Decide whether code or test is wrong, beginning with the first failing test.",
  assertion_error: "Compare expected with actual: decide whether code or test is wrong.",
  type_checking: "Mend the types at the places named above, the first one first.",
  dependency_issue: "Make manifest and lock file agree, or choose versions that go together.",
  package_install_error:
    "See why the package cannot be built or fetched: its name, its version, what it needs to build.",
  configuration_error: "Correct the configuration named above.",
  environment_error: "Give the job what it misses: a program, a library, a variable, another runtime version.",
  doc_docstring: "Correct the documentation at the places named above.",
  infra_transient: "Re-run the failed jobs; no change to the code repairs this.",
  flaky: "Re-run the failed jobs; if it comes back, make the test independent of time and order.",
  secret_or_permission:
    "Check the workflow's permissions and the repository's secrets; no change to the code repairs this.",
  cancelled: "Run it again if the cancellation was not meant.",
  unknown: "Read the quoted lines: nothing else in the log says why.",
};

/** One action for each check with failures of its own, in the order of the failures; the same action is given once. */
export function nextActions(evidence: Evidence, tools: readonly Tool[], facts: CommandFacts): readonly NextAction[] {
  const groups = new Map<string, Failure[]>();
  for (const failure of evidence.failures.filter(({ cascadeOf }) => cascadeOf === null)) {
    const key = [failure.validation, failure.tool, failure.category].join(" ");
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [failure]);
    else group.push(failure);
  }
  const actions = new Map<string, NextAction>();
  for (const failures of groups.values()) {
    const validation = evidence.validations.find(({ id }) => id === failures[0]?.validation) ?? null;
    const action = actionFor(failures, validation, tools, facts);
    const key = [action.fix ?? action.words, action.rerun, action.cwd].join("\u0000");
    const known = actions.get(key);
    actions.set(key, known === undefined ? action : { ...known, failures: [...known.failures, ...action.failures] });
  }
  return [...actions.values()];
}

function actionFor(
  failures: readonly Failure[],
  validation: Validation | null,
  tools: readonly Tool[],
  facts: CommandFacts,
): NextAction {
  const category = failures[0]?.category ?? "unknown";
  const tool = tools.find(({ name }) => name === failures[0]?.tool);
  const none = { failures: failures.map(({ id }) => id), words: WORDS[category], fix: null, rerun: null, cwd: "" };
  if (validation === null || isWeather(category)) return none;
  const commands = simpleCommands(validation.command, validation.context.workingDirectory, facts);
  const own = tool && commands.find(({ text }) => answeringTools(text, tools).includes(tool));
  // A script of one command is its own re-run; of several nobody says which one it was.
  const [only, ...others] = commands;
  const plain = own ?? (others.length === 0 ? only : undefined);
  if (plain === undefined) return none;
  const fix = own && tool?.fix ? tool.fix.derive(own.text) : null;
  const narrow = own && tool?.narrow ? tool.narrow(own.text, failures) : null;
  return { ...none, fix, rerun: narrow ?? plain.text, cwd: plain.cwd };
}
