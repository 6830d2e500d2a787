import { expect, it } from "vitest";
import { isFormatOnly } from "../../src/validate/guard/format-only.ts";

it.each([
  ["a script joined into one command", "ci.sh", "set -e\nnpm test\n", "set -e npm test\n"],
  ["a recipe that became a prerequisite", "Makefile", "test:\n\tnpm test\n", "test: npm test\n"],
  [
    "a value that ends at the word return",
    "a.test.js",
    "return expect(a).rejects.toThrow();",
    "return\nexpect(a).rejects.toThrow();",
  ],
  ["a semicolon inside a string", "a.test.js", 'expect(a).toBe("b;");\n', 'expect(a).toBe("b");\n'],
  ["a comma inside a string", "a.test.js", 'expect(a).toBe("[b,]");\n', 'expect(a).toBe("[b]");\n'],
  ["a template that became a string", "a.js", "x = `${a}`;\n", 'x = "${a}";\n'],
  ["a line that the next one draws in", "a.js", "a = b;\n[1].map(c);\n", "a = b\n[1].map(c);\n"],
  ["a check that left its loop", "a.py", "for x in y:\n    a(x)\n    check(x)\n", "for x in y:\n    a(x)\ncheck(x)\n"],
  ["a check that came under a condition", "a.py", "if a:\n    b()\ncheck()\n", "if a:\n    b()\n    check()\n"],
  ["a key that left its section", "tox.ini", "[a]\nb =\n    c\n", "[a]\nb =\nc\n"],
])("%s is more than format", (_what, path, before, after) => {
  expect([isFormatOnly(path, before, after), isFormatOnly(path, after, before)]).toEqual([false, false]);
});

it.each([
  [
    "quotes, semicolons and brackets",
    "a.ts",
    "const a = (x) => 'it'\nb({ c: 1, })\n",
    'const a = x => "it";\nb({\n  c: 1,\n});\n',
  ],
  ["an escaped quote", "a.ts", "a('it\\'s')\n", 'a("it\'s");\n'],
  ["the depth of a script", "ci.sh", "if a; then\nb\nfi\n", "if a; then\n  b\nfi\n"],
  [
    "indentation and brackets of Python",
    "a.py",
    "def a():\n  b(1,\n2)\n",
    "def a():\n    b(\n        1,\n        2,\n    )\n",
  ],
  ["blanks at line ends", "a.yml", "a: 1  \nb: 2\n\n", "a: 1\nb: 2\n"],
])("%s are nobody's matter", (_what, path, before, after) => {
  expect(isFormatOnly(path, before, after)).toBe(true);
});

it.each([
  ["blanks", "a.yml", `a:${" ".repeat(400_000)}b`],
  ["line ends", "a.yml", `a:${"\n".repeat(400_000)}b`],
  ["line ends in code", "a.js", `a${"\n".repeat(400_000)}b`],
  ["open brackets", "a.py", "(".repeat(400_000)],
  ["returns", "a.js", "return\na\n".repeat(50_000)],
])("a file full of %s is judged within seconds", (_what, path, text) => {
  const started = performance.now();

  expect(isFormatOnly(path, text, `${text}c`)).toBe(false);
  expect(performance.now() - started).toBeLessThan(5_000);
});
