import { inlineForms, type ProbeLanguage } from "./probe-language.ts";

const probe = (letter: string): string =>
  `try \\{ RetraceProbe\\.hit\\("p\\d+(?<form${letter}>${letter})", (?<value${letter}>[^\\n]*?)\\); \\} catch \\(Throwable retraceIgnored\\) \\{\\}`;

export const java: ProbeLanguage = {
  name: "Java",
  extensions: ["java"],
  blocks: ["block", "constructor_body", "switch_block_statement_group"],
  isStatement: (kind) =>
    (/_statement$|_declaration$/.test(kind) && kind !== "labeled_statement") ||
    kind === "switch_expression" ||
    kind === "explicit_constructor_invocation",
  leaving: ["return_statement", "throw_statement", "break_statement", "continue_statement", "yield_statement"],
  compound: /^$/,
  hasToStayFirst: (kind) => kind === "explicit_constructor_invocation",
  pure: [
    "identifier",
    "this",
    "field_access",
    "array_access",
    "decimal_integer_literal",
    "decimal_floating_point_literal",
    "string_literal",
    "string_fragment",
    "escape_sequence",
    "character_literal",
    "true",
    "false",
    "null_literal",
  ],
  literal: [
    "decimal_integer_literal",
    "decimal_floating_point_literal",
    "string_literal",
    "character_literal",
    "true",
    "false",
    "null_literal",
  ],
  lone: {
    wrap: (expression) => `class P { Object o = (${expression}); }`,
    around: ["class_declaration", "class_body", "field_declaration", "variable_declarator", "parenthesized_expression"],
  },
  statement: (id, value) =>
    `try { RetraceProbe.hit("${id}", ${value ?? '"reached"'}); } catch (Throwable retraceIgnored) {}`,
  forms: inlineForms(" "),
  reserved: "RetraceProbe",
  pattern: new RegExp(` ;${probe("a")}|${probe("b")} `, "g"),
};
