import { localGit } from "../../../src/adapters/git/local-git.ts";
import { gitContract } from "../../contracts/git.ts";

gitContract("git on this machine", () =>
  localGit({
    world: { now: () => new Date(1_700_000_000_000) },
    identity: { name: "Retrace", email: "retrace@example.org" },
  }),
);
