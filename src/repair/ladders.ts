import type { EngineName } from "../domain/attempt.ts";
import type { FailureClass } from "../domain/category.ts";

/**
 * Which engines try a problem, in which order (papers §12.4). autofix stands first wherever a tool may mend its own
 * findings; it costs no model call and steps aside at once when it knows no fixer.
 */
export const LADDERS: Readonly<Record<FailureClass, readonly EngineName[]>> = {
  code_formatting: ["autofix", "base"],
  doc_docstring: ["autofix", "base"],
  linting: ["autofix", "base"],
  syntax_error: ["base"],
  type_checking: ["autofix", "base"],
  dependency_issue: ["autofix", "base"],
  package_install_error: ["autofix", "base"],
  configuration_error: ["autofix", "base"],
  environment_error: ["base"],
  runtime_error: ["base"],
  assertion_error: ["base"],
  test_failure: ["autofix", "base"],
  unknown: ["autofix", "base"],
  infra_transient: [],
  flaky: [],
  secret_or_permission: [],
  cancelled: [],
};
