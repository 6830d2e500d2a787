/** Git across the network. Rejects with GitFailed, one line, no credentials in it. */
export interface RemoteGit {
  /**
   * Brings refs or commits into the bare repository at `folder`, made when it is not there. Returns the commit of each
   * wanted one, null where the remote does not have it. Rejects when the remote cannot be reached at all.
   */
  fetch(remote: Remote, wanted: readonly string[], folder: string): Promise<readonly (string | null)[]>;
  /**
   * Makes `branch` at the remote be `commit`, provided it is at `expected` there (null: it is not there), or at `commit`
   * already. Never forces over anything else.
   */
  push(folder: string, commit: string, remote: Remote, branch: string, expected: string | null): Promise<PushAnswer>;
}

export interface Remote {
  /** http or https; any host. */
  readonly url: string;
  /** Value of the `Authorization` header; null for none. Goes to this host only, never to disk or to a command line. */
  readonly authorization: string | null;
}

export type PushAnswer =
  | { readonly pushed: true }
  /** `moved`: the branch is elsewhere; `refused`: the host says no (permissions, rules, workflow files). */
  | { readonly pushed: false; readonly because: "moved" | "refused"; readonly message: string };
