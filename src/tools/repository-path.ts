// Where runners put the checkout: hosted Linux and macOS, self-hosted, containers, Windows, Travis.
const CHECKOUT =
  /^(?:file:\/\/)?(?:\/home\/runner\/_?work\/[^/]+\/[^/]+\/|\/Users\/runner\/work\/[^/]+\/[^/]+\/|\/(?:[^/]+\/){0,4}_work\/[^/]+\/[^/]+\/|\/__w\/[^/]+\/[^/]+\/|\/github\/workspace\/|\/?[A-Za-z]:\/a\/[^/]+\/[^/]+\/|\/home\/travis\/build\/[^/]+\/[^/]+\/)/;

// Code that no repository owns, though logs name it.
const FOREIGN =
  /(?:^|\/)(?:node_modules|site-packages|dist-packages|\.venv|\.tox|\.nox|\.yarn|\.cargo|go\/pkg\/mod|hostedtoolcache|lib\/python\d|usr\/(?:lib|include|local)|rustc|nix\/store|\.m2|\.gradle|\.rustup|vendor\/bundle)(?:\/|[\d.]|$)|^(?:node:|internal\/|<|webpack:|https?:|native$)/;

/** A path as the repository knows it: relative, forward slashes; null when it points outside, into dependencies or nowhere. */
export function repositoryPath(path: string): string | null {
  const slashed = path.trim().replaceAll("\\", "/");
  const relative = slashed
    .replace(CHECKOUT, "")
    .replace(/^file:\/\//, "")
    .replace(/^(?:\.\/)+/, "");
  if (relative === "" || FOREIGN.test(relative)) return null;
  return relative;
}

/** The same, yet absolute paths we cannot place are refused too: they name nothing in the repository. */
export function relativePath(path: string): string | null {
  const relative = repositoryPath(path);
  return relative === null || /^(?:\/|[A-Za-z]:\/|\.\.\/)/.test(relative) ? null : relative;
}
