import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    // @actions/workflow-parser imports JSON without an import attribute, which plain Node refuses.
    server: { deps: { inline: [/@actions\/workflow-parser/] } },
    testTimeout: 60_000,
    hookTimeout: 120_000,
    pool: "forks",
    // Most of the time is spent waiting for processes: one core less than there are would waste half of a small machine.
    maxWorkers: "100%",
  },
});
