/** What a matcher reads out of a line. */
export interface Match {
  readonly level: "error" | "warning";
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly message: string;
}

/** Looks at the lines of a step one after another. */
export type Matcher = (line: string) => Match | null;

const TSC = /^\S.*?(?=\(\d)\((\d+),(\d+)\)\s*:\s*(error|warning)\s+(?:\w{1,2}\d+)\s*:\s*(.*)$/;
const STYLISH = /^\s+(\d+):(\d+)\s+(error|warning)\s+(.*\S)\s\s+\S+\s*$/;

/** The matchers that an action registers for all later steps, by action; the runner then prefixes what they match. */
export const MATCHERS_OF: Readonly<Record<string, () => readonly Matcher[]>> = {
  "actions/setup-node": () => [matchTsc, matchStylish()],
};

/** `src/a.ts(3,7): error TS2322: …` */
function matchTsc(line: string): Match | null {
  const [, row, column, level, message = ""] = TSC.exec(line) ?? [];
  if (row === undefined) return null;
  const file = line.slice(0, line.indexOf(`(${row},`));
  return { level: level === "error" ? "error" : "warning", file, line: Number(row), column: Number(column), message };
}

/** ESLint's default output: the file on a line of its own, its findings indented below. */
function matchStylish(): Matcher {
  let file = "";
  return (line) => {
    const [, row, column, level, message = ""] = STYLISH.exec(line) ?? [];
    if (row !== undefined && file !== "") {
      return {
        level: level === "error" ? "error" : "warning",
        file,
        line: Number(row),
        column: Number(column),
        message,
      };
    }
    if (/^\S/.test(line)) file = line;
    return null;
  };
}
