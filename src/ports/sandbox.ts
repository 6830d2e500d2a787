/** A place where commands of a repository run without reaching anything of ours (design §9). */
export interface Sandbox {
  readonly kind: "bwrap" | "podman" | "docker" | "none";
  /** Null when it can be used here, else one line that says what is missing and how to mend it. Never throws. */
  unavailable(): Promise<string | null>;
  /**
   * A room around `tree`, an absolute path. HOME and TMP are private to the room, kept from the first command to the
   * last, and never part of the tree. Rejects with SandboxUnavailable: it never falls back to something weaker.
   */
  open(tree: string): Promise<SandboxRoom>;
}

export interface SandboxRoom {
  /** The tree's path as commands inside see it. */
  readonly treeInside: string;
  /** Resolves however the command ends; rejects with SandboxUnavailable only when it could not be started at all. */
  run(command: SandboxCommand): Promise<SandboxResult>;
  /** Ends what still runs and removes the private folders. */
  close(): Promise<void>;
}

export interface SandboxCommand {
  readonly script: string;
  /** As a workflow step names it: `bash`, `sh`, `python`, `node`, a template with `{0}`; null is `bash -e {0}` as on a runner. */
  readonly shell: string | null;
  /** Relative to the tree; "" is its root. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /**
   * `setup`: the outside network through a namespace of its own, from which the host's loopback cannot be reached.
   * `off`: none but the room's own loopback.
   */
  readonly network: "setup" | "off";
  readonly timeoutMs: number;
  /** A Unix socket of ours, absolute: the only way out of a room without network. The command finds its place in RETRACE_DOOR. */
  readonly door?: string;
  readonly signal?: AbortSignal;
}

export interface SandboxResult {
  /** Null when a signal ended it. */
  readonly exitCode: number | null;
  readonly timedOut: boolean;
  /** Standard output and error as they came, cut in the middle when longer than the room keeps. */
  readonly output: string;
  readonly omittedBytes: number;
  readonly ms: number;
}

export class SandboxUnavailable extends Error {
  override readonly name = "SandboxUnavailable";
}
