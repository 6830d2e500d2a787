/** How probes are written in one language, and how code is read for them. What differs between languages, and no more. */
export interface ProbeLanguage {
  readonly name: "JavaScript" | "TypeScript" | "Python" | "Go" | "Java";
  readonly extensions: readonly string[];
  /** Kinds of nodes whose children stand one after another and may be added to. */
  readonly blocks: readonly string[];
  isStatement(kind: string): boolean;
  /** Statements behind which nothing is reached. */
  readonly leaving: readonly string[];
  /** Statements that hold others: in Python nothing may follow them on their line. */
  readonly compound: RegExp;
  /** A statement that has to stay first in its block, by its kind and text: a directive, a docstring, a call of `super`. */
  hasToStayFirst(kind: string, text: string): boolean;
  /** Kinds that a value may be made of: names, members, literals. Nothing that calls or assigns. */
  readonly pure: readonly string[];
  /** The pure kinds that alone say nothing. */
  readonly literal: readonly string[];
  /** An expression as a file that holds nothing else, and the kinds of nodes around it there, outermost first. */
  readonly lone: { readonly wrap: (expression: string) => string; readonly around: readonly string[] };
  /** The statement, without what divides it from its neighbours. `value` null: only that it was reached. */
  statement(id: string, value: string | null): string;
  /** Texts to put around a probe at each kind of place; the letter ends its id, so that it can be taken out again exactly. */
  readonly forms: Readonly<Record<ProbeForm, Form>>;
  /** A name that no code of the repository has; where one does, there are no probes. */
  readonly reserved: string;
  /** Every probe in a text: group `form` holds the letter, group `value` the expression. */
  readonly pattern: RegExp;
}

/** In front of a statement on its line, behind it on its line, and, where a language goes by lines, on a line of its own. */
export type ProbeForm = "before" | "after" | "line-before" | "line-after";

export interface Form {
  readonly letter: string;
  readonly lead: string;
  readonly trail: string;
}

const LETTERS: Readonly<Record<ProbeForm, string>> = { before: "b", after: "a", "line-before": "l", "line-after": "n" };

/** Probes that share their line with the code beside them: line numbers stay as they are. */
export function inlineForms(divider: string): ProbeLanguage["forms"] {
  const before = { letter: LETTERS.before, lead: "", trail: divider };
  const after = { letter: LETTERS.after, lead: ` ;`, trail: "" };
  return { before, after, "line-before": before, "line-after": after };
}

/** In Python nothing but a simple statement may share a line. The indentation is put in by whoever inserts. */
export const LINE_FORMS: ProbeLanguage["forms"] = {
  before: { letter: LETTERS.before, lead: "", trail: "; " },
  after: { letter: LETTERS.after, lead: "; ", trail: "" },
  "line-before": { letter: LETTERS["line-before"], lead: "", trail: "\n" },
  "line-after": { letter: LETTERS["line-after"], lead: "\n", trail: "" },
};
