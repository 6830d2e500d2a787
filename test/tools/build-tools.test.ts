import { describe, expect, it } from "vitest";
import type { Diagnostic } from "../../src/tools/tool.ts";
import { TOOLS } from "../../src/tools/tools.ts";

const toolNamed = (name: string) => TOOLS.find((tool) => tool.name === name);
const failing = (...ids: string[]): Diagnostic[] => ids.map((testId) => ({ message: "failed", lines: [1], testId }));

describe("tools of Go, Rust and the JVM", () => {
  it.each([
    ["go test ./...", "go test"],
    ["go -C cli test", "go test"],
    ["gotestsum --format testname", "go test"],
    ["GOOS=linux go build -o till .", "go build"],
    ["go vet ./...", "go vet"],
    ["go mod download", "go mod"],
    ["golangci-lint run --timeout 5m", "golangci-lint"],
    ["cargo +nightly test --all", "cargo test"],
    ["cargo nextest run", "cargo test"],
    ["cargo build --release", "cargo build"],
    ["cargo doc --no-deps", "cargo doc"],
    ["./mvnw -B verify", "maven"],
    ["./gradlew check", "gradle"],
    ["javac -d out A.java", "javac"],
  ])("%s is run by %s", (command, name) => {
    expect(toolNamed(name)?.answersTo(command)).toBe(true);
  });

  it.each([
    ["go test", "go build ./..."],
    ["go build", "go test ./..."],
    ["cargo build", "cargo test"],
    ["cargo test", "cargo fmt --check"],
    ["maven", "echo mvn"],
  ])("%s does not answer to %s", (name, command) => {
    expect(toolNamed(name)?.answersTo(command)).toBe(false);
  });

  it.each<[string, string, Diagnostic[], string | null]>([
    [
      "go test",
      "go test -race ./...",
      failing("till.TestSum/empty", "example.com/till/cart.TestAdd"),
      "go test -run '^(TestAdd|TestSum)$' -race ./...",
    ],
    ["go test", "go test -run TestOld ./cart", failing("till.TestSum"), "go test -run '^(TestSum)$' ./cart"],
    ["go test", "go test ./...", [{ message: "undefined: x", lines: [1] }], null],
    ["go test", "go build ./...", failing("till.TestSum"), null],
    [
      "cargo test",
      "cargo test --all -- --nocapture",
      failing("tests::adds", "tests::joins"),
      "cargo test --all -- --exact tests::adds tests::joins --nocapture",
    ],
    ["cargo test", "cargo nextest run", failing("till::it adds"), null],
    [
      "maven",
      "mvn -B test",
      failing("till.TillTest.sums", "till.TillTest.counts", "DrawerTest.opens"),
      "mvn -B test '-Dtest=DrawerTest#opens,TillTest#counts+sums' -Dsurefire.failIfNoSpecifiedTests=false -DfailIfNoTests=false",
    ],
    ["maven", "mvn test -Dtest=Old", failing("till.TillTest.sums"), null],
    ["gradle", "./gradlew :till:test", failing("TillTest.sums()"), "./gradlew :till:test --tests '*TillTest.sums'"],
    ["gradle", "./gradlew build", failing("TillTest.sums()"), null],
  ])("%s narrows %s to what failed", (name, command, diagnostics, expected) => {
    expect(toolNamed(name)?.narrow?.(command, diagnostics)).toBe(expected);
  });

  it.each(["go test", "go build", "golangci-lint", "cargo test", "cargo build", "maven", "gradle", "javac"])(
    "%s reads a log of a hundred thousand hostile lines in seconds",
    (name) => {
      const patterns = [
        `--- FAIL: ${"a/".repeat(200)} (0.00s)`,
        "error[E0308]: mismatched types",
        `[ERROR] ${"a.".repeat(500)}<<< FAILURE!`,
        "* What went wrong:",
        `error: ${" ".repeat(1_000)}`,
        `e: ${"x/".repeat(300)}.kt:1`,
        `        at ${"a.b.".repeat(200)}c(D.java:`,
        "# pkg",
        "thread 'a' panicked at 'b",
        "Caused by:",
        "golangci-lint > Task :x FAILED",
        `[ERROR] Failed to execute goal ${"a:".repeat(300)}`,
      ];
      const lines = Array.from({ length: 100_000 }, (_, i) => ({
        number: i + 1,
        text: patterns[i % patterns.length] ?? "",
      }));
      const step = {
        source: "log.txt",
        job: null,
        number: null,
        name: "a step",
        command: "golangci-lint run",
        uses: null,
        shell: null,
        env: {},
        failed: true,
        exitCode: 1,
        firstLine: 1,
        lastLine: lines.length,
        lines,
        omittedLines: 0,
      };

      const start = performance.now();
      toolNamed(name)?.read(step);

      expect(performance.now() - start).toBeLessThan(15_000);
    },
    60_000,
  );
});
