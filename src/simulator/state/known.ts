import type { PullRequest, Repository } from "./nouns.ts";
import { repositoryNamed, type Simulation } from "./simulation.ts";

/** For callers in this process, who get an Error where an HTTP client gets a 404. */

/** The thing itself; throws `there is no <what>`. */
export function known<T>(thing: T | null | undefined, what: string): T {
  if (thing === null || thing === undefined) throw new Error(`there is no ${what}`);
  return thing;
}

/** By `owner/name`. */
export function knownRepository(simulation: Simulation, fullName: string): Repository {
  return known(repositoryNamed(simulation, fullName), `repository ${fullName}`);
}

/** By number. */
export function knownPull({ pulls, fullName }: Repository, number: number): PullRequest {
  const pull = pulls.find((one) => one.number === number);
  return known(pull, `pull request ${number} in ${fullName}`);
}
