import { LINE_FORMS, type ProbeLanguage } from "./probe-language.ts";

const probe = (letter: string): string =>
  `retrace_probe_\\("p\\d+(?<form${letter}>${letter})"(?:, lambda: (?<value${letter}>[^\\n]*?))?\\)`;

/** The lambda is called by the hook, which catches what a name that is not bound yet, or a property, throws. */
export const python: ProbeLanguage = {
  name: "Python",
  extensions: ["py"],
  blocks: ["block", "module"],
  isStatement: (kind) => /_statement$|_definition$/.test(kind),
  leaving: ["return_statement", "raise_statement", "break_statement", "continue_statement"],
  compound: /^(?:if|for|while|try|with|match)_statement$|_definition$/,
  hasToStayFirst: (kind, text) => kind === "expression_statement" && /^[rRbBuU]{0,2}(["'])[\s\S]*\1$/.test(text),
  // No subscript: looking into a defaultdict changes it.
  pure: [
    "identifier",
    "attribute",
    "integer",
    "float",
    "string",
    "string_start",
    "string_content",
    "string_end",
    "true",
    "false",
    "none",
  ],
  literal: ["integer", "float", "string", "true", "false", "none"],
  lone: { wrap: (expression) => `(${expression})`, around: ["expression_statement", "parenthesized_expression"] },
  statement: (id, value) => `retrace_probe_("${id}"${value === null ? "" : `, lambda: ${value}`})`,
  forms: LINE_FORMS,
  reserved: "retrace_probe_",
  pattern: new RegExp(`^[ \\t]*${probe("l")}\\n|\\n[ \\t]*${probe("n")}|; ${probe("a")}|${probe("b")}; `, "gm"),
};
