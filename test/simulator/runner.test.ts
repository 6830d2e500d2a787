import { describe, expect, it } from "vitest";
import { startForTests } from "./start.ts";

const started = startForTests(async () => {}, { jobTimeoutMs: 4_000 });
let number = 0;

/** Runs one workflow in a repository of its own and returns its run, with logs free of timestamps. */
async function runOf(jobs: string, files: Record<string, string> = {}) {
  number += 1;
  const { simulator } = started;
  const repository = await simulator.createRepository({
    owner: "octo",
    name: `case-${number}`,
    files: { "a.txt": "a\n", ...files },
    workflows: { "ci.yml": `on: push\njobs:\n${jobs}` },
  });
  await simulator.runWorkflows(repository, "main");
  await simulator.idle();
  const [run] = simulator.runs(repository);
  if (run === undefined) throw new Error("no run was started");
  const jobsByName = Object.fromEntries(
    run.jobs.map((job) => [job.name, { ...job, log: job.log.replace(/^\S+Z /gm, "").split("\n") }]),
  );
  return { repository, id: run.id, conclusion: run.conclusion, jobs: jobsByName };
}

const conclusions = (jobs: Record<string, { conclusion: string | null }>) =>
  Object.fromEntries(Object.entries(jobs).map(([name, { conclusion }]) => [name, conclusion]));

describe("the runner", () => {
  it("honours the layers of env, working-directory, shell and expressions", async () => {
    const run = await runOf(
      `
  a:
    runs-on: ubuntu-latest
    env: { ONE: job, TWO: job }
    defaults: { run: { working-directory: sub } }
    steps:
      - uses: actions/checkout@v4
      - run: echo "$ONE $TWO \${{ env.TWO }} $(basename "$PWD") $GITHUB_REF_NAME $CI"
        env: { TWO: "step-\${{ github.event_name }}" }
      - run: print("from python")
        shell: python
      - run: false | true
      - run: false | true
        shell: bash
`,
      { "sub/b.txt": "b\n" },
    );

    expect(run.jobs.a?.log).toContain("job step-push step-push sub main true");
    expect(run.jobs.a?.log).toContain("from python");
    expect(run.jobs.a?.log).toContain("shell: /usr/bin/bash --noprofile --norc -e -o pipefail {0}");
    expect(run.jobs.a?.steps.map(([, conclusion]) => conclusion)).toEqual([
      "success",
      "success",
      "success",
      "success",
      "success",
      "failure",
      "success",
      "success",
    ]);
  });

  it("hands outputs, exported variables and paths from step to step and job to job", async () => {
    const run = await runOf(`
  first:
    runs-on: ubuntu-latest
    outputs: { answer: "\${{ steps.think.outputs.answer }}" }
    steps:
      - id: think
        run: |
          echo "answer=42" >> "$GITHUB_OUTPUT"
          echo "LATER=yes" >> "$GITHUB_ENV"
      - run: echo "later $LATER"
  second:
    needs: first
    runs-on: ubuntu-latest
    steps: [{ run: 'echo "the answer is \${{ needs.first.outputs.answer }}"' }]
`);

    expect(run.jobs.first?.log).toContain("later yes");
    expect(run.jobs.second?.log).toContain("the answer is 42");
  });

  it("runs what conditions ask for and skips the rest", async () => {
    const run = await runOf(`
  breaks:
    runs-on: ubuntu-latest
    steps:
      - run: exit 3
      - run: echo skipped
      - { name: On failure, if: failure(), run: echo cleaning }
      - { name: Always, if: "\${{ always() }}", run: echo always }
  forgives:
    runs-on: ubuntu-latest
    steps:
      - { run: exit 1, continue-on-error: true }
      - run: echo on
  dependent: { needs: breaks, runs-on: ubuntu-latest, steps: [{ run: echo never }] }
  reporter: { needs: breaks, if: always(), runs-on: ubuntu-latest, steps: [{ run: 'echo it was \${{ needs.breaks.result }}' }] }
`);

    expect(run.conclusion).toBe("failure");
    expect(conclusions(run.jobs)).toEqual({
      breaks: "failure",
      forgives: "success",
      dependent: "skipped",
      reporter: "success",
    });
    expect(run.jobs.breaks?.steps.map(([name, conclusion]) => [name, conclusion])).toEqual([
      ["Set up job", "success"],
      ["Run exit 3", "failure"],
      ["Run echo skipped", "skipped"],
      ["On failure", "success"],
      ["Always", "success"],
      ["Complete job", "success"],
    ]);
    expect(run.jobs.breaks?.log).toContain("##[error]Process completed with exit code 3.");
    expect(run.jobs.reporter?.log).toContain("it was failure");
  });

  it.each([
    ["another action", "runs-on: x\n    steps: [{ uses: owner/thing@v1 }]", "cannot run the action 'owner/thing@v1'"],
    ["another system", "runs-on: windows-latest\n    steps: [{ run: 'true' }]", "no machine labelled 'windows-latest'"],
    [
      "a service",
      "runs-on: x\n    services: { db: { image: x } }\n    steps: [{ run: 'true' }]",
      "no service containers",
    ],
    ["a reusable workflow", "uses: ./.github/workflows/x.yml", "cannot call the reusable workflow"],
    ["another shell", "runs-on: x\n    steps: [{ run: 'x', shell: pwsh }]", "no shell 'pwsh'"],
    ["a broken expression", "runs-on: x\n    steps: [{ run: 'echo ${{ nope( }}' }]", "##[error]"],
  ])("fails with a clear message for %s", async (_what, job, words) => {
    const run = await runOf(`  a:\n    ${job}\n`);

    expect(run.conclusion).toBe("failure");
    expect(run.jobs.a?.log.filter((line) => line.startsWith("##[error]") && line.includes(words))).toHaveLength(1);
  });

  it("stops a job at its time limit and leaves no process behind", async () => {
    const run = await runOf("  a:\n    runs-on: x\n    steps: [{ run: 'sleep 97531 & sleep 97531' }]\n");
    const { execFileSync } = await import("node:child_process");
    const left = execFileSync("sh", ["-c", "ps -eo args | grep '[s]leep 97531' || true"]).toString();

    expect(run.conclusion).toBe("timed_out");
    expect(left).toBe("");
  });

  it("cancels the other legs of a matrix when one fails, unless told not to", async () => {
    const leg = "runs-on: x\n    steps: [{ run: 'test ${{ matrix.v }} = 1 && exit 1; sleep 2' }]";
    const fast = await runOf(`  a:\n    strategy: { matrix: { v: [1, 2, 3] } }\n    ${leg}\n`);
    const slow = await runOf(
      `  a:\n    strategy: { fail-fast: false, matrix: { v: [1, 2, 3] } }\n    ${leg.replace("sleep 2", "true")}\n`,
    );

    expect(conclusions(fast.jobs)).toEqual({ "a (1)": "failure", "a (2)": "cancelled", "a (3)": "cancelled" });
    expect(conclusions(slow.jobs)).toEqual({ "a (1)": "failure", "a (2)": "success", "a (3)": "success" });
  });

  it("shows ::error:: commands as annotations and hides masked words", async () => {
    const run = await runOf(
      '  a:\n    runs-on: x\n    steps: [{ run: \'echo "::add-mask::hush"; echo "say hush"; echo "::error file=src/a.ts,line=7,col=2::bad thing"\' }]\n',
    );
    const octokit = started.connect(await started.token("octo"));
    const where = { owner: "octo", repo: run.repository.slice(5), check_run_id: run.jobs.a?.id ?? 0 };
    const { data } = await octokit.rest.checks.listAnnotations(where);

    expect(run.jobs.a?.log).toContain("say ***");
    expect(run.jobs.a?.log).toContain("##[error]bad thing");
    expect(data).toMatchObject([
      { path: "src/a.ts", start_line: 7, start_column: 2, annotation_level: "failure", message: "bad thing" },
    ]);
  });

  it("marks what the problem matchers of actions/setup-node know", async () => {
    const run = await runOf(
      `
  a:
    runs-on: x
    steps:
      - uses: actions/checkout@v4
      - run: cat out.txt
      - uses: actions/setup-node@v4
      - run: cat out.txt
`,
      {
        "out.txt":
          "src/a.ts(3,7): error TS2322: Type 'string' is not assignable to type 'number'.\n\n/repo/b.js\n  1:5  error  'x' is never used  no-unused-vars\n",
      },
    );

    expect(run.jobs.a?.log.filter((line) => /TS2322|never used/.test(line))).toEqual([
      "src/a.ts(3,7): error TS2322: Type 'string' is not assignable to type 'number'.",
      "  1:5  error  'x' is never used  no-unused-vars",
      "##[error]src/a.ts(3,7): error TS2322: Type 'string' is not assignable to type 'number'.",
      "##[error]  1:5  error  'x' is never used  no-unused-vars",
    ]);
  });

  it("says which tools it has and calls Python as the real action does", async () => {
    const run = await runOf(`
  a:
    runs-on: x
    steps:
      - uses: actions/setup-node@v4
      - uses: actions/setup-python@v5
      - run: python -c 'print("snake")'
`);

    expect(run.jobs.a?.log).toContain(`node: ${process.version}`);
    expect(run.jobs.a?.log.some((line) => /^Successfully set up CPython \(3\.\d+\.\d+\)$/.test(line))).toBe(true);
    expect(run.jobs.a?.log).toContain("snake");
  });

  it("calls its folders as a hosted runner does and gives nothing of its own environment", async () => {
    const run = await runOf("  a:\n    runs-on: x\n    steps: [{ run: 'pwd; env | sort' }]\n");
    const names = run.jobs.a?.log.flatMap((line) => /^([A-Z_]+)=/.exec(line)?.[1] ?? []) ?? [];
    const allowed = /^(CI|GITHUB_.*|RUNNER_.*|PATH|HOME|TMPDIR|LANG|PWD|OLDPWD|SHLVL|_)$/;

    expect(run.jobs.a?.log).toContain(`/home/runner/work/${run.repository.slice(5)}/${run.repository.slice(5)}`);
    expect(names.filter((name) => !allowed.test(name))).toEqual([]);
  });

  it("shows a broken workflow file as a run without jobs", async () => {
    const run = await runOf("  a: { needs: nowhere, runs-on: x, steps: [{ run: x }] }\n");

    expect([run.conclusion, run.jobs]).toEqual(["startup_failure", {}]);
  });

  it("starts nothing for a commit that asks to be skipped", async () => {
    const { repository } = await runOf("  a:\n    runs-on: x\n    steps: [{ run: 'true' }]\n");
    await started.simulator.pushCommit(repository, "main", { "a.txt": "b\n" }, { message: "Words [skip ci]" });
    await started.simulator.idle();

    expect(started.simulator.runs(repository)).toHaveLength(1);
  });
});

describe("a re-run", () => {
  it("repeats the failed jobs and what needs them, under the same run", async () => {
    const run = await runOf(`
  good: { runs-on: x, steps: [{ run: 'true' }] }
  bad: { runs-on: x, steps: [{ run: 'test "$GITHUB_RUN_ATTEMPT" = 2' }] }
  after: { needs: bad, runs-on: x, steps: [{ run: 'true' }] }
`);
    const octokit = started.connect(await started.token("octo"));
    const where = { owner: "octo", repo: run.repository.slice(5), run_id: run.id };
    await octokit.rest.actions.reRunWorkflowFailedJobs(where);
    await started.simulator.idle();
    const { data: first } = await octokit.rest.actions.getWorkflowRunAttempt({ ...where, attempt_number: 1 });
    const { data: now } = await octokit.rest.actions.getWorkflowRun(where);
    const { data: jobs } = await octokit.rest.actions.listJobsForWorkflowRun(where);

    expect([first.conclusion, now.conclusion, now.run_attempt]).toEqual(["failure", "success", 2]);
    expect(jobs.jobs.map((job) => [job.name, job.conclusion]).sort()).toEqual([
      ["after", "success"],
      ["bad", "success"],
      ["good", "success"],
    ]);
    await expect(octokit.rest.actions.reRunWorkflowFailedJobs(where)).rejects.toMatchObject({ status: 403 });
  });

  it("is not possible while the run goes on, which can be cancelled", async () => {
    const { simulator } = started;
    const name = await simulator.createRepository({
      owner: "octo",
      name: "long",
      workflows: { "ci.yml": "on: push\njobs:\n  a:\n    runs-on: x\n    steps: [{ run: 'sleep 30' }]\n" },
    });
    const [id = 0] = await simulator.runWorkflows(name, "main");
    const octokit = started.connect(await started.token("octo"));
    const where = { owner: "octo", repo: "long", run_id: id };
    await expect(octokit.rest.actions.reRunWorkflow(where)).rejects.toMatchObject({ status: 403 });
    await octokit.rest.actions.cancelWorkflowRun(where);
    await simulator.idle();

    expect(simulator.runs(name)[0]?.conclusion).toBe("cancelled");
    await expect(octokit.rest.actions.cancelWorkflowRun(where)).rejects.toMatchObject({ status: 409 });
  });
});
