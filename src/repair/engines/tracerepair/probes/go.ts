import { inlineForms, type ProbeLanguage } from "./probe-language.ts";

const probe = (letter: string): string =>
  `retraceProbe\\("p\\d+(?<form${letter}>${letter})", (?:nil|func\\(\\) interface\\{\\} \\{ return (?<value${letter}>[^\\n]*?) \\})\\)`;

/** The function literal is called by the helper, which recovers from what a nil pointer or an index does. */
export const go: ProbeLanguage = {
  name: "Go",
  extensions: ["go"],
  blocks: ["statement_list", "block"],
  isStatement: (kind) => /_statement$|_declaration$/.test(kind) && kind !== "labeled_statement",
  leaving: ["return_statement", "break_statement", "continue_statement", "goto_statement", "fallthrough_statement"],
  compound: /^$/,
  hasToStayFirst: () => false,
  pure: [
    "identifier",
    "selector_expression",
    "field_identifier",
    "index_expression",
    "int_literal",
    "float_literal",
    "interpreted_string_literal",
    "interpreted_string_literal_content",
    "escape_sequence",
    "raw_string_literal",
    "raw_string_literal_content",
    "true",
    "false",
    "nil",
  ],
  literal: ["int_literal", "float_literal", "interpreted_string_literal", "raw_string_literal", "true", "false", "nil"],
  lone: {
    wrap: (expression) => `package p\nvar _ = (${expression})\n`,
    around: ["var_declaration", "var_spec", "expression_list", "parenthesized_expression"],
  },
  statement: (id, value) =>
    `retraceProbe("${id}", ${value === null ? "nil" : `func() interface{} { return ${value} }`})`,
  forms: inlineForms("; "),
  reserved: "retraceProbe",
  pattern: new RegExp(` ;${probe("a")}|${probe("b")}; `, "g"),
};
