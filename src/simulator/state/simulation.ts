import type { KeyObject } from "node:crypto";
import type { Clock } from "./clock.ts";
import type { InFlight } from "./in-flight.ts";
import type { App, Delivery, Installation, PullRequest, Repository, Token, User } from "./nouns.ts";
import type { WeatherState } from "./weather.ts";

/** Everything the stand-in is made of. One a server; handed to every part. */
export interface Simulation {
  readonly app: App;
  readonly bot: User;
  /** GitHub Actions itself, which owns the check runs of jobs. */
  readonly actionsApp: App;
  readonly publicKey: KeyObject;
  /** PEM; null when only the public key was given. */
  readonly privateKey: string | null;
  /** Codes of the manifest flow that can still be turned into the app's credentials. */
  readonly manifestCodes: Set<string>;
  readonly clock: Clock;
  readonly nextId: () => number;
  /** No slash at the end. `logs` is another host name, as at GitHub, where a client must not send its token. */
  readonly urls: { readonly api: string; readonly html: string; readonly logs: string };
  /** Working folder: bare repositories and the checkouts of jobs. */
  readonly folder: string;
  readonly toolPath: string;
  readonly jobTimeoutMs: number;
  readonly webhook: { url: string | null; readonly secret: string };
  readonly users: Map<string, User>;
  readonly repositories: Map<string, Repository>;
  readonly installations: Map<number, Installation>;
  readonly tokens: Map<string, Token>;
  readonly userTokens: Map<string, User>;
  readonly logLinks: Map<string, LogLink>;
  readonly deliveries: Delivery[];
  readonly requests: RequestRecord[];
  readonly forcePushes: ForcePush[];
  readonly weather: WeatherState;
  readonly work: InFlight;
  /** Runs a job when a runner is free. */
  readonly runners: <T>(job: () => Promise<T>) => Promise<T>;
}

export interface LogLink {
  readonly expiresAt: number;
  readonly type: string;
  readonly content: () => Buffer;
}

/** No headers and no query: they may hold secrets. */
export interface RequestRecord {
  readonly method: string;
  readonly path: string;
  readonly status: number;
}

export interface ForcePush {
  readonly repository: string;
  readonly ref: string;
  readonly before: string;
  readonly after: string;
}

/** The user by that login; made up when first seen, as a person or a bot by its name. */
export function userNamed(simulation: Simulation, login: string, type?: User["type"]): User {
  const key = login.toLowerCase();
  const known = simulation.users.get(key);
  if (known) return known;
  const user: User = { id: simulation.nextId(), login, type: type ?? (login.endsWith("[bot]") ? "Bot" : "User") };
  simulation.users.set(key, user);
  return user;
}

/** By `owner/name`, in any case; null when there is none. */
export function repositoryNamed(simulation: Simulation, fullName: string): Repository | null {
  return simulation.repositories.get(fullName.toLowerCase()) ?? null;
}

/** Open pull requests, in any repository, whose head is this branch. */
export function openPullsFrom(simulation: Simulation, head: Repository, branch: string): [Repository, PullRequest][] {
  return [...simulation.repositories.values()].flatMap((repository) =>
    repository.pulls
      .filter((pull) => pull.state === "open" && pull.head.repository === head && pull.head.ref === branch)
      .map((pull): [Repository, PullRequest] => [repository, pull]),
  );
}

/** Opaque, as GitHub's are. */
export function nodeId(kind: string, id: number | string): string {
  return `${kind}_${Buffer.from(String(id)).toString("base64url")}`;
}
