import type { EngineName } from "../domain/attempt.ts";
import type { FailureClass } from "../domain/category.ts";
import type { FaLevel } from "./engine.ts";

/** One engine in its turn; for FixAgent the levels it works on. */
export interface Rung {
  readonly engine: EngineName;
  readonly levels?: readonly FaLevel[];
}

const AUTOFIX: Rung = { engine: "autofix" };
const BASE: Rung = { engine: "base" };
const TRACE: Rung = { engine: "tracerepair" };
const FA1: Rung = { engine: "fixagent", levels: [1] };
const FA2: Rung = { engine: "fixagent", levels: [2] };
const FA3: Rung = { engine: "fixagent", levels: [3] };

/**
 * Which engines try a problem, in which order (papers §12.4): the next only when the one before did not do it. autofix
 * stands first wherever a tool may mend its own findings; it costs no model call and steps aside at once when it knows no
 * fixer.
 */
export const LADDERS: Readonly<Record<FailureClass, readonly Rung[]>> = {
  code_formatting: [AUTOFIX, BASE],
  doc_docstring: [AUTOFIX, BASE],
  linting: [AUTOFIX, BASE, FA1],
  syntax_error: [BASE, FA1, FA2],
  type_checking: [AUTOFIX, BASE, FA2, FA3],
  dependency_issue: [AUTOFIX, BASE, FA3],
  package_install_error: [AUTOFIX, BASE, FA3],
  configuration_error: [AUTOFIX, BASE, FA3],
  environment_error: [BASE, FA3],
  runtime_error: [BASE, FA2, TRACE, FA3],
  assertion_error: [BASE, FA2, TRACE, FA3],
  test_failure: [AUTOFIX, BASE, FA2, TRACE, FA3],
  unknown: [AUTOFIX, BASE],
  infra_transient: [],
  flaky: [],
  secret_or_permission: [],
  cancelled: [],
};

/** A wrong value without a crash, in a function that is known and can be run: runtime evidence comes first (papers §12.4). */
export const SILENT_LADDER: readonly Rung[] = [BASE, TRACE, FA2, FA3];

/** Where only CI can judge, two engines at most: then CI is asked. */
export const CI_ONLY_LADDER: readonly Rung[] = [BASE, FA3];
