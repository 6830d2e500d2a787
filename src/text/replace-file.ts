/**
 * A patch that puts one text of a file in place of another, as `git apply` takes it: every line of `before` out, every
 * line of `after` in. Null stands for no file. "" when the two are equal. Long, and safe to apply: it fits the very text
 * it was made from or nothing.
 */
export function replaceFileDiff(path: string, before: string | null, after: string | null): string {
  if (before === after) return "";
  const [was, now] = [linesOf(before ?? ""), linesOf(after ?? "")];
  const header = [
    `diff --git ${quoted(`a/${path}`)} ${quoted(`b/${path}`)}`,
    ...(before === null ? ["new file mode 100644"] : []),
    ...(after === null ? ["deleted file mode 100644"] : []),
  ];
  if (was.length + now.length === 0) return `${header.join("\n")}\n`;
  return [
    ...header,
    `--- ${before === null ? "/dev/null" : quoted(`a/${path}`)}`,
    `+++ ${after === null ? "/dev/null" : quoted(`b/${path}`)}`,
    `@@ -${span(was.length)} +${span(now.length)} @@`,
    ...marked("-", was, before ?? ""),
    ...marked("+", now, after ?? ""),
    "",
  ].join("\n");
}

function linesOf(text: string): string[] {
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

function span(count: number): string {
  return count === 0 ? "0,0" : `1,${count}`;
}

function marked(mark: "-" | "+", lines: readonly string[], text: string): string[] {
  const out = lines.map((line) => mark + line);
  return out.length > 0 && !text.endsWith("\n") ? [...out, "\\ No newline at end of file"] : out;
}

/** As git quotes a name with bytes that could end it: in C's manner. */
function quoted(name: string): string {
  if (!/["\\\p{Cc}]/u.test(name)) return name;
  const escaped = [...name].map((char) => {
    if (char === '"' || char === "\\") return `\\${char}`;
    return /\p{Cc}/u.test(char) && char.length === 1 && char.charCodeAt(0) < 0x80
      ? `\\${char.charCodeAt(0).toString(8).padStart(3, "0")}`
      : char;
  });
  return `"${escaped.join("")}"`;
}
