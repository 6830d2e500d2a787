import { tokenGitHub } from "./adapters/github/token-github.ts";
import type { GitHub } from "./ports/github.ts";

/** GitHub as a person's token sees it. `apiUrl`: the REST address of the host. */
export function composeTokenGitHub(token: string, apiUrl: string): GitHub {
  return tokenGitHub(token, apiUrl);
}
