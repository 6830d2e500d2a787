import type { SgNode } from "@ast-grep/napi";
import { syntaxTree } from "../../../../text/code-outline.ts";
import type { ProbeLanguage } from "./probe-language.ts";

const LONGEST = 120; // a longer one is no name that a person would look at

/** Whether an expression is made of names, members and literals alone: reading it calls and assigns nothing. */
export function isPure(expression: string, language: ProbeLanguage): boolean {
  const node = expressionNode(expression, language);
  return node !== null && isPureNode(node, language);
}

/** The node of an expression that stands alone; null when the text is no single expression on one line. */
export function expressionNode(expression: string, language: ProbeLanguage): SgNode | null {
  if (expression === "" || expression.length > LONGEST || /[\r\n]/.test(expression)) return null;
  let node = syntaxTree(`x.${language.extensions[0]}`, language.lone.wrap(expression));
  if (node === null || node.find({ rule: { kind: "ERROR" } }) !== null) return null;
  for (const kind of language.lone.around) {
    node = node.children().find((child) => String(child.kind()) === kind) ?? null;
    if (node === null) return null;
  }
  const [only, ...others] = node.children().filter((child) => child.isNamed());
  return only !== undefined && others.length === 0 && only.text() === expression ? only : null;
}

function isPureNode(node: SgNode, language: ProbeLanguage): boolean {
  if (node.isNamed() && !language.pure.includes(String(node.kind()))) return false;
  return node.children().every((child) => isPureNode(child, language));
}
