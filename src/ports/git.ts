/** Git as we need it. No method ever runs git with a `.git` that a sandbox could write, nor any hook, filter or helper named by a repository. */
export interface Git {
  /** Facts about a local clone. Rejects with GitFailed (one line) when `dir` is no repository. Writes nothing there. */
  inspect(dir: string): Promise<RepositoryFacts>;
  /** The full commit id, or null when there is none of that name. */
  resolve(dir: string, revision: string): Promise<string | null>;
  /** The tree id of a commit, or null when there is none of that name. */
  resolveTree(dir: string, revision: string): Promise<TreeId | null>;
  /** The files of a commit, without a working copy. Rejects with GitFailed when there is no such commit. */
  files(dir: string, commit: string): Promise<CommitFiles>;
  /**
   * A working copy of its own at a commit: files in `<folder>/tree`, our git directory outside of it, and in the tree a
   * throw-away `.git` for whoever works there. `folder` is made by the call and must not exist.
   */
  checkout(from: string, commit: string, folder: string): Promise<WorkingCopy>;
  /**
   * Makes `branch` in the clone at `dir`, starting at `base`, one commit for each entry; the work tree and HEAD stay as
   * they are. Rejects with GitFailed when the branch exists or could not be named so. Returns the commit ids.
   */
  commitOnBranch(dir: string, branch: string, base: string, commits: readonly NewCommit[]): Promise<readonly string[]>;
  /** Why `commitOnBranch` could not make a branch of this name, one line, or null. Rejects with GitFailed when `dir` is no repository. */
  branchComplaint(dir: string, branch: string): Promise<string | null>;
  /** Applies a patch to the work tree of the clone at `dir`, index untouched; all or nothing. */
  applyToWorkTree(dir: string, patch: string): Promise<void>;
}

export interface RepositoryFacts {
  readonly root: string;
  /** There is no work tree. */
  readonly bare: boolean;
  readonly head: string | null;
  readonly branch: string | null;
  /** `owner/name` of `origin`, null without one. */
  readonly origin: string | null;
  /** Tracked files changed against HEAD and untracked ones not ignored; a folder that is untracked as a whole as `folder/`. */
  readonly uncommitted: readonly string[];
  /** Ignored folders that hold installed dependencies (node_modules, .venv, vendor, target …), relative to the root. */
  readonly dependencyFolders: readonly string[];
}

export interface CommitFiles {
  readonly paths: readonly string[];
  /** A file's text; null when it is not there, or not text. */
  read(path: string): Promise<string | null>;
}

export interface NewCommit {
  /** The working copy that holds the tree. */
  readonly copy: Pick<WorkingCopy, "gitDir">;
  /** A tree id from `copy`. */
  readonly tree: TreeId;
  readonly message: string;
}

/** A snapshot of a working copy's files; a git tree id. */
export type TreeId = string;

export interface WorkingCopy {
  /** Absolute path of the files. */
  readonly tree: string;
  readonly commit: string;
  /** Our git directory, outside the tree. */
  readonly gitDir: string;
  /** What a checkout with a network would have filled in: folders of submodules (empty) and files that are LFS pointers. */
  readonly notFilled: { readonly submodules: readonly string[]; readonly lfs: readonly string[] };
  /** The files as they are now, new ones included, ignored ones not. */
  snapshot(): Promise<TreeId>;
  /** The tree of `commit`. */
  readonly base: TreeId;
  /** Makes the files be those of `id`, and the throw-away `.git` new; ignored files stay. */
  restore(id: TreeId): Promise<void>;
  /**
   * `git diff --binary` text from one snapshot to another; "" when equal. Always valid Unicode that applies as it is. A
   * moved file is one deleted and one added: whoever judges the patch must see what went away.
   */
  diff(from: TreeId, to: TreeId): Promise<string>;
  /** Names as UTF-8; one that is not is quoted as git quotes it. */
  changedFiles(from: TreeId, to: TreeId): Promise<readonly string[]>;
  /** Applies a patch to the files as they are now. Null when it applied, else git's first complaint; all or nothing. */
  apply(patch: string): Promise<string | null>;
  /** Tracked files of the base commit, submodules not among them. */
  listFiles(): Promise<readonly string[]>;
  /** Content in a snapshot, or null when it is not there, a link or not text. */
  read(id: TreeId, path: string): Promise<string | null>;
  remove(): Promise<void>;
}

export class GitFailed extends Error {
  override readonly name = "GitFailed";
}
