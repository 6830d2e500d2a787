/** One word of a command: as it was written and as the program would see it. */
export interface ShellWord {
  /** With its quotes and escapes. */
  readonly raw: string;
  /** Without them; `$x` and `$(…)` stay as they are, because their value is not known here. */
  readonly value: string;
  /** The scripts of its command substitutions. */
  readonly substitutions: readonly string[];
}

export type ShellToken =
  | { readonly kind: "word"; readonly word: ShellWord }
  | { readonly kind: "operator"; readonly operator: string };

// Longest first: `&&` must win over `&`.
const OPERATORS = ["&&", "||", ";;", "|&", "&", "|", ";", "(", ")", "\n"];
const REDIRECTION = /^(?:\d+|\{\w+\}|&)?(?:>>|>\||>&|<&|<<<|<<-?|<>|>|<)/;
const ENDS_WORD = /[\s;&|()<>]/;

/**
 * A POSIX-like script as words and operators: quotes, escapes, comments, line continuations, substitutions and here
 * documents are understood, redirections left out. Never throws; an unclosed quote ends with the text.
 */
export function shellTokens(script: string): readonly ShellToken[] {
  return new Scanner(script.replace(/\r\n?/g, "\n")).tokens();
}

/** The words of one simple command. */
export function shellWords(command: string): readonly ShellWord[] {
  return shellTokens(command).flatMap((token) => (token.kind === "word" ? [token.word] : []));
}

/** A value as one word of a command: bare where that is safe, else in single quotes. */
export function quoteWord(value: string): string {
  return /^[\w@%+=:,./-]+$/.test(value) ? value : `'${value.replaceAll("'", `'\\''`)}'`;
}

class Scanner {
  private at = 0;
  private readonly found: ShellToken[] = [];
  /** Delimiters of here documents whose bodies start at the next line. */
  private readonly hereDocuments: string[] = [];

  constructor(private readonly text: string) {}

  tokens(): readonly ShellToken[] {
    while (this.at < this.text.length) this.step();
    return this.found;
  }

  private step(): void {
    const rest = this.text.slice(this.at, this.at + 40);
    if (rest.startsWith("\\\n")) {
      this.at += 2;
      return;
    }
    if (rest[0] !== "\n" && /^\s/.test(rest)) {
      this.at++;
      return;
    }
    if (rest.startsWith("#")) {
      this.at = this.endOfLine();
      return;
    }
    const redirection = REDIRECTION.exec(rest)?.[0];
    // `<(command)` is a word made by process substitution, not a redirection.
    if (redirection !== undefined && !/^[<>]\(/.test(rest)) {
      this.redirection(redirection);
      return;
    }
    const operator = OPERATORS.find((candidate) => rest.startsWith(candidate));
    if (operator !== undefined) {
      this.at += operator.length;
      this.found.push({ kind: "operator", operator });
      if (operator === "\n") this.skipHereDocuments();
      return;
    }
    this.found.push({ kind: "word", word: this.word() });
  }

  private redirection(operator: string): void {
    this.at += operator.length;
    while (this.text[this.at] === " " || this.text[this.at] === "\t") this.at++;
    if (this.at >= this.text.length || this.text[this.at] === "\n") return;
    const target = this.word();
    if (/<<-?$/.test(operator)) this.hereDocuments.push(target.value);
  }

  private skipHereDocuments(): void {
    for (const delimiter of this.hereDocuments.splice(0)) {
      while (this.at < this.text.length) {
        const end = this.endOfLine();
        const line = this.text.slice(this.at, end);
        this.at = Math.min(end + 1, this.text.length);
        if (line.trim() === delimiter) break;
      }
    }
  }

  private endOfLine(): number {
    const end = this.text.indexOf("\n", this.at);
    return end === -1 ? this.text.length : end;
  }

  private word(): ShellWord {
    const start = this.at;
    let value = "";
    const substitutions: string[] = [];
    while (this.at < this.text.length) {
      const char = this.text[this.at] ?? "";
      const processSubstitution = /^[<>]\(/.test(this.text.slice(this.at, this.at + 2));
      if (ENDS_WORD.test(char) && !processSubstitution) break;
      if (char === "'") value += this.singleQuoted();
      else if (char === '"') value += this.doubleQuoted(substitutions);
      else if (char === "\\") value += this.escaped();
      else if (char === "$" || char === "`" || processSubstitution) value += this.expansion(substitutions);
      else {
        value += char;
        this.at++;
      }
    }
    // A lone character that no rule takes would stop the scan: it becomes a word.
    if (this.at === start) value = this.text[this.at++] ?? "";
    return { raw: this.text.slice(start, this.at).replaceAll("\\\n", ""), value, substitutions };
  }

  private singleQuoted(): string {
    const end = this.text.indexOf("'", this.at + 1);
    const stop = end === -1 ? this.text.length : end;
    const inside = this.text.slice(this.at + 1, stop);
    this.at = Math.min(stop + 1, this.text.length);
    return inside;
  }

  private doubleQuoted(substitutions: string[]): string {
    let value = "";
    this.at++;
    while (this.at < this.text.length) {
      const char = this.text[this.at] ?? "";
      if (char === '"') {
        this.at++;
        break;
      }
      if (char === "\\") value += this.escapedInDoubleQuotes();
      else if (char === "$" || char === "`") value += this.expansion(substitutions);
      else {
        value += char;
        this.at++;
      }
    }
    return value;
  }

  private escaped(): string {
    const next = this.text[this.at + 1] ?? "";
    this.at = Math.min(this.at + 2, this.text.length);
    return next === "\n" ? "" : next;
  }

  private escapedInDoubleQuotes(): string {
    const next = this.text[this.at + 1] ?? "";
    const escaped = this.escaped();
    return ["$", "`", '"', "\\", "\n", ""].includes(next) ? escaped : `\\${next}`;
  }

  /** `$x`, `${x}`, `$(…)`, `$((…))`, backticks and `<(…)`: kept as written. */
  private expansion(substitutions: string[]): string {
    const start = this.at;
    const two = this.text.slice(this.at, this.at + 2);
    if (two === "${") this.at = this.closing(this.at + 2, "{", "}");
    else if (two === "$(" || two === "<(" || two === ">(") {
      this.at = this.closing(this.at + 2, "(", ")");
      const inside = this.text.slice(start + 2, this.at).replace(/\)$/, "");
      if (!inside.startsWith("(")) substitutions.push(inside);
    } else if (two.startsWith("`")) {
      const end = this.text.indexOf("`", this.at + 1);
      this.at = end === -1 ? this.text.length : end + 1;
      substitutions.push(this.text.slice(start + 1, this.at).replace(/`$/, ""));
    } else this.at++;
    return this.text.slice(start, this.at);
  }

  /** The place after the bracket that closes one opened before `from`; quotes hide brackets. */
  private closing(from: number, open: string, close: string): number {
    let depth = 1;
    let at = from;
    while (at < this.text.length) {
      const char = this.text[at] ?? "";
      if (char === "\\") at++;
      else if (char === "'" && open === "(") at = endOfQuote(this.text, at);
      else if (char === open) depth++;
      else if (char === close && --depth === 0) return at + 1;
      at++;
    }
    return this.text.length;
  }
}

function endOfQuote(text: string, at: number): number {
  const end = text.indexOf("'", at + 1);
  return end === -1 ? text.length : end;
}
