import { describe, expect, it } from "vitest";
import { definitionAt, outline } from "../../src/text/code-outline.ts";

const CASES: readonly (readonly [string, string, readonly string[]])[] = [
  [
    "a.ts",
    "export function sum(a: number) {\n  return a;\n}\nclass Box<T> {\n  open(): T | null {\n    return null;\n  }\n}\ntype Key = string;\ninterface Row {}\n",
    ["function sum 1-3", "type Box 4-8", "function open 5-7", "type Key 9-9", "type Row 10-10"],
  ],
  ["a.test.js", 'test("adds", () => {\n  const x = 1;\n});\n', ["test adds 1-3", "value x 2-2"]],
  ["a.py", "class A:\n    def f(self):\n        return 1\n", ["type A 1-3", "function f 2-3"]],
  ["a.go", "package a\n\ntype T struct{}\n\nfunc (t T) Do() {\n}\n", ["type T 3-3", "function Do 5-6"]],
  ["a.rs", "struct S;\nfn go() {\n}\n", ["type S 1-1", "function go 2-3"]],
  ["A.java", "class A {\n  void go() {\n  }\n}\n", ["type A 1-4", "function go 2-3"]],
  ["a.rb", "class A\n  def go\n  end\nend\n", ["type A 1-4", "function go 2-3"]],
  ["a.ts", "function broken( {\n", []],
  ["a.txt", "function no() {}\n", []],
];

describe("the outline of a file", () => {
  it.each(CASES)("%s: %j", (path, text, expected) => {
    const shown = outline(path, text).map(({ kind, name, start, end }) => `${kind} ${name} ${start}-${end}`);

    expect(shown).toEqual(expected);
  });

  it("finds the innermost definition of a line", () => {
    const definitions = outline("a.py", "class A:\n    def f(self):\n        return 1\n    x = 2\n");

    expect([
      definitionAt(definitions, 3)?.name,
      definitionAt(definitions, 4)?.name,
      definitionAt(definitions, 9),
    ]).toEqual(["f", "A", null]);
  });
});
