import { EnvironmentError, UsageError } from "./exit.ts";

/** What GitHub does not have is the caller's mistake; what it does not let us is the token's. */
export async function askedOfGitHub<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof Error) || error.name !== "GitHubFailed" || !("status" in error)) throw error;
    if (error.status === 404)
      throw new UsageError("GitHub has no such repository or run or pull request, or the token may not see it");
    throw new EnvironmentError(error.message);
  }
}
