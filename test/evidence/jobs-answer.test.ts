import { describe, expect, it } from "vitest";
import { BadJobsAnswer, readJobsAnswer } from "../../src/evidence/jobs-answer.ts";

const STEP = {
  number: 3,
  name: "Run npm test",
  status: "completed",
  conclusion: "failure",
  started_at: "2026-01-02T03:04:05Z",
  completed_at: null,
};
const READ = {
  number: 3,
  name: "Run npm test",
  conclusion: "failure",
  startedAt: "2026-01-02T03:04:05Z",
  completedAt: null,
};

describe("reading an answer about jobs", () => {
  it.each([
    [
      "GitHub's answer",
      {
        total_count: 1,
        jobs: [{ id: 7, name: "test", conclusion: "failure", labels: ["ubuntu-latest"], steps: [STEP], runner_id: 1 }],
      },
      { id: 7, labels: ["ubuntu-latest"], conclusion: "failure" },
    ],
    [
      "one job of it",
      { id: 7, name: "test", conclusion: "failure", labels: ["self-hosted"], steps: [STEP] },
      { id: 7, labels: ["self-hosted"], conclusion: "failure" },
    ],
    [
      "an array as people keep it",
      [{ job_name: "test", job_id: 9, steps: [STEP] }],
      { id: 9, labels: [], conclusion: null },
    ],
  ])("takes %s", (_name, answer, expected) => {
    expect(readJobsAnswer(JSON.stringify(answer))).toEqual([{ name: "test", steps: [READ], ...expected }]);
  });

  it.each(["", "{", "{}", "[1]", '{"jobs": "none"}', '"text"', '{"jobs":[{"name":1}]}'])(
    "refuses %j in one line",
    (text) => {
      expect(() => readJobsAnswer(text)).toThrow(BadJobsAnswer);
      expect(() => readJobsAnswer(text)).toThrow(/^[^\n]+$/);
    },
  );
});
