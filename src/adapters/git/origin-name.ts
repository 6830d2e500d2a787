/**
 * `owner/name` of a remote's address (https, ssh, git, scp-like), null for anything else: a folder has no owner.
 */
export function originName(address: string): string | null {
  const trimmed = address.trim();
  const withScheme = /^(?:https?|ssh|git|git\+ssh):\/\/[^/]+\/(.+)$/i.exec(trimmed);
  // user@host:owner/name; a drive letter or a path before the colon is no host.
  const scpLike = /^(?:[^@/\s]+@)?[^/:\s]{2,}:(?!\/\/)(.+)$/.exec(trimmed);
  const path = withScheme?.[1] ?? scpLike?.[1];
  if (path === undefined) return null;
  const parts = path
    .replace(/\/+$/, "")
    .replace(/\.git$/, "")
    .split("/")
    .filter((part) => part !== "");
  return parts.length === 2 ? parts.join("/") : null;
}
