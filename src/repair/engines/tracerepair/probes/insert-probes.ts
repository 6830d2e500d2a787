import type { SgNode } from "@ast-grep/napi";
import { syntaxTree } from "../../../../text/code-outline.ts";
import type { ProbeForm, ProbeLanguage } from "./probe-language.ts";
import { expressionNode, isPure } from "./pure-expression.ts";

/** One thing a plan wants to know. Lines are 1-based lines of the file. */
export interface WantedProbe {
  readonly kind: "value" | "condition" | "marker";
  readonly line: number;
  /** For `value` alone. */
  readonly expression: string | null;
  /** Before or after the statement at that line, or first thing inside of it; a condition has places of its own. */
  readonly when: "before" | "after" | "inside";
  readonly why: string;
}

export interface PlacedProbe {
  readonly id: string;
  readonly line: number;
  /** What its lines in the trace begin with: `L12 total`. */
  readonly label: string;
  readonly why: string;
}

export interface Instrumented {
  readonly text: string;
  readonly probes: readonly PlacedProbe[];
  /** What could not be placed, one line each. */
  readonly refused: readonly string[];
}

interface Insertion {
  readonly at: number;
  readonly text: string;
}

interface Request {
  readonly value: string | null;
  readonly label: string;
  readonly place: Place;
}

interface Place {
  readonly at: number;
  readonly form: ProbeForm;
  readonly indent: string;
}

/** Enough for any function worth reading whole; more drowns the trace. */
const MOST_PROBES = 40;
const MOST_OPERANDS = 4;

/**
 * Puts probes into one function of a file by its syntax tree (papers §4.5). `range` are the function's lines, `firstId`
 * the number of the first probe. Nothing but whole statements is added, so that taking them out gives the file back.
 */
export function insertProbes(
  path: string,
  source: string,
  range: { readonly start: number; readonly end: number },
  wanted: readonly WantedProbe[],
  language: ProbeLanguage,
  firstId = 1,
): Instrumented {
  const root = syntaxTree(path, source);
  if (root === null) return { text: source, probes: [], refused: [`${path} cannot be read`] };
  if (source.includes(language.reserved)) {
    return { text: source, probes: [], refused: [`${path} uses the name ${language.reserved} itself`] };
  }
  const code = new ProbedFunction(root, source, range, language);
  const probes: PlacedProbe[] = [];
  const refused: string[] = [];
  const insertions: Insertion[] = [];
  for (const want of wanted) {
    const requests = code.requestsFor(want);
    if (typeof requests === "string") refused.push(`line ${want.line}: ${requests}`);
    else {
      for (const { value, label, place } of requests) {
        if (probes.length >= MOST_PROBES) break;
        const form = language.forms[place.form];
        const id = `p${firstId + probes.length}${form.letter}`;
        const statement = language.statement(id, value);
        insertions.push({ at: place.at, text: around(statement, place, form) });
        probes.push({ id, line: want.line, label, why: want.why });
      }
    }
  }
  return { text: withInsertions(source, insertions), probes, refused };
}

function around(statement: string, { form, indent }: Place, { lead, trail }: { lead: string; trail: string }): string {
  if (form === "line-before" && trail === "\n") return indent + statement + trail;
  if (form === "line-after" && lead === "\n") return lead + indent + statement;
  return lead + statement + trail;
}

function withInsertions(source: string, insertions: readonly Insertion[]): string {
  const sorted = insertions.map((one, order) => ({ ...one, order })).sort((a, b) => a.at - b.at || a.order - b.order);
  let out = "";
  let done = 0;
  for (const { at, text } of sorted) {
    out += source.slice(done, at) + text;
    done = at;
  }
  return out + source.slice(done);
}

/** What stands where in the function that is probed. */
class ProbedFunction {
  private readonly blocks: readonly SgNode[];
  private readonly statements: readonly SgNode[];

  constructor(
    root: SgNode,
    private readonly source: string,
    private readonly range: { readonly start: number; readonly end: number },
    private readonly language: ProbeLanguage,
  ) {
    const kinds = language.blocks.map((kind) => ({ kind }));
    const all = root.findAll({ rule: { any: kinds } });
    this.blocks = all.filter((block) => this.holds(block));
    const inside = all.flatMap((block) => statementsOf(block, language));
    this.statements = inside.filter((node) => this.holds(node) && this.isInBody(node));
  }

  private holds(node: SgNode): boolean {
    const { start, end } = node.range();
    return start.line + 1 >= this.range.start && end.line + 1 <= this.range.end;
  }

  /** The definition itself is a statement of what is around it: a probe beside it would be outside of the function. */
  private isInBody(node: SgNode): boolean {
    const parent = node.parent();
    return parent !== null && this.holds(parent);
  }

  requestsFor({ kind, line, expression, when }: WantedProbe): readonly Request[] | string {
    if (line < this.range.start || line > this.range.end) return "it lies outside of the function";
    if (kind === "condition") return this.requestsForCondition(line);
    const place = this.placeAt(line, when);
    if (place === null) return "there is no statement to put a probe at";
    if (kind === "marker") return [{ value: null, label: `L${line} reached`, place }];
    const wanted = (expression ?? "").trim();
    if (!isPure(wanted, this.language)) {
      return `${JSON.stringify(wanted.slice(0, 80))} is no plain name, member or literal`;
    }
    return [{ value: wanted, label: `L${line} ${wanted}`, place }];
  }

  /** The names that the condition is made of, and which way it went. */
  private requestsForCondition(line: number): readonly Request[] | string {
    const node = this.statements.find(
      (one) => lineOf(one) === line && /^(?:if|while|for)\w*_statement/.test(kindOf(one)),
    );
    if (node === undefined) return "there is no condition or loop";
    const condition = node.field("condition");
    const isLoop = !kindOf(node).startsWith("if");
    const then = this.blockIn(node.field(isLoop ? "body" : "consequence"));
    const otherwise = this.blockIn(node.field("alternative"));
    const inside = then === null ? null : this.firstIn(then);
    const before = node.field("initializer") === null ? this.placeBefore(node) : null;
    const place = isLoop ? inside : before;
    const operands = condition === null || place === null ? [] : this.operandsOf(condition);
    const requests: Request[] = operands
      .slice(0, MOST_OPERANDS)
      .flatMap((value) => (place === null ? [] : [{ value, label: `L${line} ${value}`, place }]));
    if (inside !== null) requests.push({ value: null, label: `L${line} ${isLoop ? "loop" : "then"}`, place: inside });
    const other = otherwise === null ? null : this.firstIn(otherwise);
    if (other !== null) requests.push({ value: null, label: `L${line} else`, place: other });
    return requests.length > 0 ? requests : "nothing of it can be recorded";
  }

  private blockIn(node: SgNode | null): SgNode | null {
    if (node === null) return null;
    const isBlock = (one: SgNode): boolean => this.language.blocks.includes(kindOf(one));
    return isBlock(node) ? node : (node.children().find(isBlock) ?? null);
  }

  private operandsOf(node: SgNode): string[] {
    const kind = kindOf(node);
    if (this.language.literal.includes(kind)) return [];
    // The name of what is called is no value, and what a nested function sees is not here.
    if (/call|invocation|function|lambda|parameters|type/.test(kind)) return [];
    if (this.language.pure.includes(kind) && isPure(node.text(), this.language)) return [node.text()];
    // Of a member of something that cannot be read, only what it is a member of.
    const isMember = /^(?:member_expression|attribute|selector_expression|field_access)$/.test(kind);
    const parts = isMember ? node.children().slice(0, 1) : node.children();
    return [...new Set(parts.flatMap((child) => this.operandsOf(child)))];
  }

  private placeAt(line: number, when: WantedProbe["when"]): Place | null {
    if (when === "inside") return this.placeInside(line) ?? this.placeAt(line, "before");
    const starting = this.statements.filter((node) => lineOf(node) === line);
    const covering = this.statements.filter((node) => lineOf(node) <= line && lastLineOf(node) >= line);
    const node = starting[0] ?? covering.reduce<SgNode | null>((best, one) => smaller(best, one), null);
    if (node === null || node === undefined) return this.placeInside(line);
    return when === "before" || this.language.leaving.includes(kindOf(node))
      ? this.placeBefore(node)
      : this.placeAfter(node);
  }

  private placeInside(line: number): Place | null {
    const block = this.blocks.find((one) => {
      const parent = one.parent();
      return (lineOf(one) === line || (parent !== null && lineOf(parent) === line)) && lastLineOf(one) >= line;
    });
    // The head of a function may take several lines.
    const body = block ?? (line === this.range.start ? this.blocks[0] : undefined);
    return body === undefined ? null : this.firstIn(body);
  }

  private firstIn(block: SgNode): Place | null {
    const first = statementsOf(block, this.language)[0];
    if (first !== undefined) return this.placeBefore(first);
    // Go's list of statements stands in a block of its own.
    const list = block.children().find((child) => this.language.blocks.includes(kindOf(child)));
    if (list !== undefined) return this.firstIn(list);
    const open = block.children().find((child) => child.text() === "{");
    return open === undefined ? null : { at: open.range().end.index, form: "before", indent: "" };
  }

  private placeBefore(node: SgNode): Place {
    if (this.language.hasToStayFirst(kindOf(node), node.text())) return this.placeAfter(node);
    const { index } = node.range().start;
    const lineStart = this.source.lastIndexOf("\n", index - 1) + 1;
    const indent = this.source.slice(lineStart, index);
    const ownLine = this.language.forms["line-before"].trail === "\n" && /^[ \t]*$/.test(indent);
    return ownLine ? { at: lineStart, form: "line-before", indent } : { at: index, form: "before", indent };
  }

  private placeAfter(node: SgNode): Place {
    const { start } = node.range();
    const lineStart = this.source.lastIndexOf("\n", start.index - 1) + 1;
    const indent = /^[ \t]*/.exec(this.source.slice(lineStart, start.index))?.[0] ?? "";
    const form = this.language.compound.test(kindOf(node)) ? "line-after" : "after";
    return { at: endOfCode(node), form, indent };
  }
}

/** The statements that stand directly in a block. */
export function statementsOf(block: SgNode, language: ProbeLanguage): SgNode[] {
  return block.children().filter((child) => language.isStatement(kindOf(child)));
}

function kindOf(node: SgNode): string {
  return String(node.kind());
}

function lineOf(node: SgNode): number {
  return node.range().start.line + 1;
}

/** A statement without its semicolon reaches, in JavaScript's grammar, beyond the comment behind it. */
function endOfCode(node: SgNode): number {
  const last = node
    .children()
    .reverse()
    .find((child) => !kindOf(child).includes("comment") && child.text().trim() !== "");
  return last === undefined ? node.range().end.index : endOfCode(last);
}

function lastLineOf(node: SgNode): number {
  return node.range().end.line + 1;
}

function smaller(a: SgNode | null, b: SgNode): SgNode {
  if (a === null) return b;
  const length = (node: SgNode): number => node.range().end.index - node.range().start.index;
  return length(b) < length(a) ? b : a;
}

/** For whoever plans without a model: the names that a function takes and sets, with the lines they are set on. */
export function mechanicalPlan(
  path: string,
  source: string,
  range: { readonly start: number; readonly end: number },
  language: ProbeLanguage,
): readonly WantedProbe[] {
  const root = syntaxTree(path, source);
  if (root === null) return [];
  const wanted: WantedProbe[] = [
    { kind: "marker", line: range.start, expression: null, when: "inside", why: "entered" },
  ];
  for (const block of root.findAll({ rule: { any: language.blocks.map((kind) => ({ kind })) } })) {
    for (const node of statementsOf(block, language)) {
      const [line, kind] = [lineOf(node), kindOf(node)];
      if (line <= range.start || lastLineOf(node) > range.end) continue;
      if (/^(?:if|while|for)\w*_statement/.test(kind)) {
        wanted.push({ kind: "condition", line, expression: null, when: "before", why: "which way it goes" });
        continue;
      }
      const name = nameSetBy(node);
      if (name !== null && expressionNode(name, language) !== null) {
        wanted.push({ kind: "value", line, expression: name, when: "after", why: "what is set" });
      }
    }
  }
  return wanted;
}

function nameSetBy(node: SgNode): string | null {
  if (!/declaration$|^expression_statement$|assignment_statement$/.test(kindOf(node))) return null;
  const inner = node.children().find((child) => /declarator$|assignment/.test(kindOf(child))) ?? node;
  const target = inner.field("name") ?? inner.field("left");
  const name = target?.text() ?? "";
  return /^[A-Za-z_$][\w$]*$/.test(name) && name !== "_" ? name : null;
}
