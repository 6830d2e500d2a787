import { onTestFinished } from "vitest";
import { unsandboxed } from "../../src/adapters/sandbox/none.ts";
import type { SandboxRoom } from "../../src/ports/sandbox.ts";
import { tempFolder } from "../contracts/git-repositories.ts";

/** A room around a folder in which commands really run, closed after the test. */
export async function openRoom(tree: string): Promise<SandboxRoom> {
  const world = { monotonicMs: () => performance.now() };
  const paths = { searchPath: "/usr/local/bin:/usr/bin:/bin", home: "/nowhere", folder: tempFolder() };
  const room = await unsandboxed({ ...paths, setupEnv: {}, world }).open(tree);
  onTestFinished(() => room.close());
  return room;
}
