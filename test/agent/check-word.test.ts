import { expect, it } from "vitest";
import { splitCheckWord } from "../../src/agent/check-word.ts";

it.each([
  ["retrace-check", { before: "", onlyAfterSuccess: false }],
  ["  retrace-check 2>&1 | tail -n 20 ;\n", { before: "", onlyAfterSuccess: false }],
  ["sed -i s/a/b/ x && retrace-check", { before: "sed -i s/a/b/ x", onlyAfterSuccess: true }],
  ["cd src; ls; retrace-check | grep FAIL | head", { before: "cd src; ls", onlyAfterSuccess: false }],
  ["cat > x <<'E'\na\nE\nretrace-check", { before: "cat > x <<'E'\na\nE", onlyAfterSuccess: false }],
  ["retrace-check && git diff", null],
  ["retrace-check > out.txt", null],
  ["echo retrace-check", null],
  ["./retrace-check", null],
  ["retrace-checks", null],
  ["git log || retrace-check", null],
  ["true", null],
])("the check word in %j", (command, expected) => {
  expect(splitCheckWord(command)).toEqual(expected);
});
