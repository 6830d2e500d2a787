import type { SandboxRoom } from "../ports/sandbox.ts";

// Adding and committing a large repository takes seconds; more than this is a hang.
const COMMIT_MS = 120_000;

/**
 * Commits the tree as it is in its throw-away `.git`, which `restore` puts back. CI checks a commit: a check that asks git
 * whether a generator changes anything can only pass on one. False when git could not; the check then runs without.
 */
export async function commitInRoom(room: SandboxRoom): Promise<boolean> {
  const { exitCode } = await room.run({
    script: "git add -A && git commit --quiet --allow-empty --no-verify --message 'as CI would check it out'",
    shell: "sh",
    cwd: "",
    env: {},
    network: "off",
    timeoutMs: COMMIT_MS,
  });
  return exitCode === 0;
}
