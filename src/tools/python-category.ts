import type { FailureClass } from "../domain/category.ts";

const CLUES: readonly { readonly says: RegExp; readonly category: FailureClass }[] = [
  { says: /\b(?:SyntaxError|IndentationError|TabError)\b/, category: "syntax_error" },
  {
    says: /^(?:AssertionError|assert\b)|\bAssertionError\b|^Failed: DID NOT (?:RAISE|WARN)/,
    category: "assertion_error",
  },
  { says: /^Failed: Timeout|^Failed\b|\bDocTestFailure\b/, category: "test_failure" },
  { says: /^fixture '.*' not found/, category: "configuration_error" },
  { says: /\b[A-Z]\w*(?:Error|Exception|Warning|Interrupt|Exit|Timeout)\b/, category: "runtime_error" },
];

/** The class of a failing Python test or script from the error's last line: `KeyError: 'a'`. */
export function pythonCategory(message: string): FailureClass {
  return CLUES.find(({ says }) => says.test(message))?.category ?? "test_failure";
}

/** The same for an import that failed: a module the repository does not own is a dependency (papers §8.8). */
export function importCategory(message: string, ownPackages: readonly string[]): FailureClass | null {
  const missing = /No module named '?([\w.]+)/.exec(message)?.[1];
  if (missing === undefined) return null;
  return ownPackages.includes(missing.split(".")[0] ?? "") ? "runtime_error" : "dependency_issue";
}
