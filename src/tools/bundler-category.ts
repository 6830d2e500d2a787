import type { FailureClass } from "../domain/category.ts";

const CLUES: readonly (readonly [RegExp, FailureClass])[] = [
  [
    /(?:Can't resolve|Could not resolve|failed to resolve import|Cannot find (?:module|package)) ["'`]?[@\w]/i,
    "dependency_issue",
  ],
  [/Type error: |\bTS\d{4,5}\b/, "type_checking"],
  [/Module not found|Can't resolve|Could not (?:resolve|load)|failed to resolve/i, "runtime_error"],
  [
    /Unexpected token|Unexpected character|SyntaxError|PARSE_ERROR|parse failed|Parsing error|Expected .*(?:got|found|but)|Unterminated|Transform failed/i,
    "syntax_error",
  ],
  [/is not exported by|has no exported|does not contain a default export|export '.+' \(imported/i, "type_checking"],
  [/Invalid (?:options|configuration)|configuration object|config/i, "configuration_error"],
  [/heap out of memory/i, "environment_error"],
];

/** The class of what a bundler could not build, from its words; `runtime_error` when they tell nothing plainer. */
export function bundlerCategory(message: string): FailureClass {
  return CLUES.find(([says]) => says.test(message))?.[1] ?? "runtime_error";
}
