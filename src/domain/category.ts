/** The twelve classes of code failure (CI-Repair-Bench taxonomy). */
export const CATEGORIES = [
  "code_formatting",
  "linting",
  "syntax_error",
  "runtime_error",
  "test_failure",
  "assertion_error",
  "type_checking",
  "dependency_issue",
  "package_install_error",
  "configuration_error",
  "environment_error",
  "doc_docstring",
] as const;
export type Category = (typeof CATEGORIES)[number];

/** Ways a run ends red that no change to the code repairs. `unknown`: the log does not tell; it is repaired like code. */
export const NON_CODE = ["infra_transient", "flaky", "secret_or_permission", "cancelled", "unknown"] as const;
export type NonCode = (typeof NON_CODE)[number];

export type FailureClass = Category | NonCode;

/** True when nothing in the repository is to blame. `unknown` is not: we cannot say that about what we do not know. */
export function isWeather(failureClass: FailureClass): boolean {
  return failureClass !== "unknown" && (NON_CODE as readonly string[]).includes(failureClass);
}
