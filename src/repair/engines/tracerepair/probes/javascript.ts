import { inlineForms, type ProbeLanguage } from "./probe-language.ts";

const COMMON = {
  blocks: ["statement_block", "program", "switch_case", "switch_default", "class_static_block"],
  isStatement: (kind: string) => /_statement$|_declaration$/.test(kind),
  leaving: ["return_statement", "throw_statement", "break_statement", "continue_statement"],
  compound: /^$/,
  // 'use strict' counts only at the very beginning.
  hasToStayFirst: (kind: string, text: string) => kind === "expression_statement" && /^(["'])[^\n]*\1;?$/.test(text),
  pure: [
    "identifier",
    "this",
    "member_expression",
    "property_identifier",
    "private_property_identifier",
    "subscript_expression",
    "optional_chain",
    "number",
    "string",
    "string_fragment",
    "escape_sequence",
    "true",
    "false",
    "null",
    "undefined",
  ],
  literal: ["number", "string", "true", "false", "null", "undefined"],
  lone: {
    wrap: (expression: string) => `(${expression});`,
    around: ["expression_statement", "parenthesized_expression"],
  },
  forms: inlineForms(" "),
  reserved: "__rtProbe",
} as const;

/**
 * A value that is not there yet (a `let` further down) or a getter that throws must not change what the code does, hence
 * the `try`; without the hook the call is skipped.
 */
function row(name: "JavaScript" | "TypeScript", extensions: readonly string[], holder: string): ProbeLanguage {
  const escaped = holder.replace(/[().]/g, "\\$&");
  const probe = (letter: string) =>
    `try\\{${escaped}\\.__rtProbe\\?\\.\\("p\\d+(?<form${letter}>${letter})"(?:,(?<value${letter}>[^\\n]*?))?\\)\\}catch\\{\\}`;
  return {
    ...COMMON,
    name,
    extensions,
    statement: (id, value) => `try{${holder}.__rtProbe?.("${id}"${value === null ? "" : `,${value}`})}catch{}`,
    pattern: new RegExp(` ;${probe("a")}|${probe("b")} `, "g"),
  };
}

export const javaScript = row("JavaScript", ["js", "mjs", "cjs", "jsx"], "globalThis");

/** The type of `globalThis` knows no probe. */
export const typeScript = row("TypeScript", ["ts", "mts", "cts", "tsx"], "(globalThis as any)");
