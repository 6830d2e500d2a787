import { describe, expect, it } from "vitest";
import { type FrameLine, readFrameLine } from "../../src/tools/code-frames.ts";
import { relativePath, repositoryPath } from "../../src/tools/repository-path.ts";

describe("a path as the repository knows it", () => {
  it.each([
    ["src/a.ts", "src/a.ts"],
    ["./src/a.ts", "src/a.ts"],
    ["/home/runner/work/shop/shop/src/a.ts", "src/a.ts"],
    ["file:///home/runner/work/shop/shop/src/a.ts", "src/a.ts"],
    ["/home/runner/_work/shop/shop/packages/web/a.ts", "packages/web/a.ts"],
    ["D:\\a\\shop\\shop\\src\\a.ts", "src/a.ts"],
    ["/__w/shop/shop/a.py", "a.py"],
    ["/github/workspace/a.py", "a.py"],
    ["/home/runner/work/shop/shop/node_modules/x/index.js", null],
    ["/opt/hostedtoolcache/Python/3.11.9/x64/lib/python3.11/json/__init__.py", null],
    [".venv/lib/python3.12/site-packages/x.py", null],
    ["node:internal/process/task_queues", null],
    ["", null],
  ])("%s", (path, expected) => {
    expect(repositoryPath(path)).toEqual(expected);
  });

  it.each([
    ["src/a.ts", "src/a.ts"],
    ["/srv/app/src/a.ts", null],
    ["../sibling/a.ts", null],
  ])("%s, absolute paths refused", (path, expected) => {
    expect(relativePath(path)).toEqual(expected);
  });
});

function describeFrame(line: FrameLine | null): string {
  if (line === null) return "none";
  return line.frame === null ? "foreign" : `${line.frame.file}:${line.frame.line}`;
}

describe("a line of a stack trace", () => {
  it.each([
    ["    at sum (/home/runner/work/shop/shop/src/a.js:3:7)", "src/a.js:3"],
    ["    at file:///home/runner/work/shop/shop/src/a.mjs:3:7", "src/a.mjs:3"],
    [" ❯ sum src/a.ts:3:7", "src/a.ts:3"],
    ['  File "/home/runner/work/shop/shop/shop/a.py", line 3, in total', "shop/a.py:3"],
    ["    at shop.cart.CartTest.sums(CartTest.java:21)", "shop/cart/CartTest.java:21"],
    ["    at app//shop.cart.CartTest$Inner.sums(CartTest.kt:21)", "shop/cart/CartTest.kt:21"],
    ["    at java.base/java.util.ArrayList.get(ArrayList.java:427)", "foreign"],
    ["    at node:internal/process/task_queues:95:5", "foreign"],
    ["    at Module._compile (node:internal/modules/cjs/loader:1521:14)", "foreign"],
    ["we met at noon", "none"],
  ])("%s", (text, expected) => {
    const line = readFrameLine(text);

    expect(describeFrame(line)).toEqual(expected);
  });
});
