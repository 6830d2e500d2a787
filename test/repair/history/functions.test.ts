import { describe, expect, it } from "vitest";
import { functionAt, functionsOf, sameFunction, textOf } from "../../../src/repair/history/functions.ts";

const CASES: readonly (readonly [string, string, readonly string[]])[] = [
  ["a.ts", "export const f = (a: number) => {\n  return a;\n};\nclass C {\n  g() {}\n}\n", ["f", "C.g"]],
  ["a.py", "class C:\n    def g(self):\n        return 1\n\ndef f():\n    return 2\n", ["C.g", "f"]],
  ["a.go", "package a\n\nfunc F() int {\n\treturn 1\n}\n\nfunc (s *S) G() {}\n", ["F", "G"]],
  ["A.java", "class C {\n  C() {}\n  int g() {\n    return 1;\n  }\n}\n", ["C.C", "C.g"]],
  ["a.rs", "fn f() -> i32 {\n    1\n}\n", ["f"]],
  ["a.rb", "class C\n  def g\n    1\n  end\nend\n", ["C.g"]],
  [
    "a.c",
    "static int f(int a)\n{\n  if (a) {\n    return 1;\n  }\n  return 2;\n}\n\nint g(void) {\n  return f(1);\n}\n",
    ["f", "g"],
  ],
  ["a.kt", "class C {\n  private fun g(a: Int): Int {\n    return a\n  }\n}\n", ["g"]],
  ["a.php", "<?php\nfunction f($a) {\n  foreach ($a as $b) {\n    echo $b;\n  }\n}\n", ["f"]],
  ["a.sh", "f() {\n  echo 1\n}\n", ["f"]],
  ["a.ex", "defmodule A do\n  def f(x) do\n    x\n  end\nend\n", ["f"]],
];

describe("the functions of a file", () => {
  it.each(CASES)("are found in %s", (path, text, names) => {
    expect(functionsOf(path, text).map(({ name, owner }) => (owner === null ? name : `${owner}.${name}`))).toEqual(
      names,
    );
  });

  it.each([
    ["a.c", 4, "static int f(int a)\n{\n  if (a) {\n    return 1;\n  }\n  return 2;\n}"],
    ["a.ex", 3, "  def f(x) do\n    x\n  end"],
    ["a.py", 3, "    def g(self):\n        return 1"],
  ])("hold their lines: %s", (path, line, body) => {
    const text = CASES.find(([file]) => file === path)?.[1] ?? "";
    const found = functionAt(functionsOf(path, text), line);

    expect(found && textOf(text, found)).toBe(body);
  });

  it("are the same by name and owner, wherever they stand", () => {
    const before = functionsOf(
      "a.py",
      "class A:\n    def run(self):\n        return 1\n\nclass B:\n    def run(self):\n        return 2\n",
    );
    const wanted = { name: "run", owner: "B", start: 90, end: 91 };

    expect(sameFunction(before, wanted)).toEqual({ name: "run", owner: "B", start: 6, end: 7 });
    expect(sameFunction(before, { ...wanted, name: "walk" })).toBeNull();
  });
});
