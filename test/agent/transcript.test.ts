import { expect, it } from "vitest";
import { redactingTranscript } from "../../src/agent/transcript.ts";

// Put together here so that nobody's secret scanner takes it for a real one.
const TOKEN = `ghp_${"a1B2c3D4e5F6".repeat(3)}`;

it("a transcript entry gets its time and loses its secrets, however deep they lie", async () => {
  const kept: unknown[] = [];
  const transcript = redactingTranscript(
    {
      append: async (entry) => {
        kept.push(entry);
      },
    },
    { now: () => new Date(0) },
  );

  await transcript.append({
    kind: "answer",
    step: 3,
    calls: [{ arguments: `{"command":"echo ${TOKEN}"}` }],
    why: null,
  });

  expect(kept).toEqual([
    {
      at: "1970-01-01T00:00:00.000Z",
      kind: "answer",
      step: 3,
      calls: [{ arguments: '{"command":"echo [redacted:github-token]"}' }],
      why: null,
    },
  ]);
});
