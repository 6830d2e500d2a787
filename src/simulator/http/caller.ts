import { installationOf } from "../events/tell-app.ts";
import type { Access, Repository, Role, Token, User } from "../state/nouns.ts";
import type { Simulation } from "../state/simulation.ts";
import { badCredentials, notAccessible, notFound, Refusal } from "./answers.ts";
import { checkJwt } from "./app-token.ts";

/** Who asks: the app by its JWT, one of its installations, a person's token, or nobody. */
export type Caller =
  | { readonly kind: "app" }
  | { readonly kind: "installation"; readonly token: Token; readonly secret: string }
  | { readonly kind: "user"; readonly user: User }
  | { readonly kind: "nobody" };

/** Any one of these is enough; each names permissions that are all needed. Empty: whoever sees the repository. */
export type Needs = readonly Readonly<Record<string, Access>>[];

const JWT = /^[\w-]+\.[\w-]+\.[\w-]+$/;

/** Reads an Authorization header. Throws 401 for a credential that is wrong or over. */
export function callerOf(simulation: Simulation, authorization: string | undefined): Caller {
  if (authorization === undefined || authorization === "") return { kind: "nobody" };
  const [scheme = "", value = ""] = authorization.split(/\s+/);
  const secret = /^basic$/i.test(scheme) ? passwordOf(value) : value;
  if (JWT.test(secret) && !secret.startsWith("ghs_")) {
    checkJwt(simulation, secret);
    return { kind: "app" };
  }
  const user = simulation.userTokens.get(secret);
  if (user !== undefined) return { kind: "user", user };
  const token = simulation.tokens.get(secret);
  if (token === undefined || token.expiresAt <= simulation.clock.now()) throw badCredentials();
  return { kind: "installation", token, secret };
}

/** Throws unless the caller may do this in this repository: 404 for what it cannot see, 403 for what it may not do. */
export function allow(simulation: Simulation, caller: Caller, repository: Repository, needs: Needs): void {
  if (!sees(simulation, caller, repository)) throw notFound();
  const isRead = needs.every((need) => Object.values(need).every((access) => access === "read"));
  if (caller.kind === "installation") {
    const { permissions } = caller.token;
    const isMember = reaches(simulation, caller.token, repository);
    if (!isMember && !(isRead && !repository.isPrivate)) throw notAccessible();
    if (isMember && needs.length > 0 && !needs.some((need) => covers(permissions, need))) throw notAccessible();
    return;
  }
  if (isRead) return;
  if (caller.kind === "nobody") throw new Refusal(401, "Requires authentication");
  if (caller.kind === "user" && canWrite(roleOf(repository, caller.user))) return;
  throw caller.kind === "user" ? new Refusal(403, "Must have write access to the repository.") : notAccessible();
}

/** The role a user has there; null for no collaborator. */
export function roleOf(repository: Repository, user: User): Role | null {
  if (repository.owner === user) return "admin";
  return repository.collaborators.get(user.login.toLowerCase()) ?? null;
}

/** Whether a role may push. */
export const canWrite = (role: Role | null): boolean => role === "admin" || role === "maintain" || role === "write";

/** Whether an installation token was given for this repository. */
export function reaches(simulation: Simulation, token: Token, repository: Repository): boolean {
  const isInstalled = installationOf(simulation, repository) === token.installation;
  return isInstalled && (token.repositoryIds === null || token.repositoryIds.has(repository.id));
}

/** In whose name a caller acts: a person's, or the app's bot. */
export function whoActs(simulation: Simulation, caller: Caller): User {
  return caller.kind === "user" ? caller.user : simulation.bot;
}

function sees(simulation: Simulation, caller: Caller, repository: Repository): boolean {
  if (!repository.isPrivate) return true;
  if (caller.kind === "installation") return reaches(simulation, caller.token, repository);
  return caller.kind === "user" && roleOf(repository, caller.user) !== null;
}

function covers(permissions: Readonly<Record<string, Access>>, need: Readonly<Record<string, Access>>): boolean {
  return Object.entries(need).every(([name, access]) =>
    access === "read" ? permissions[name] !== undefined : permissions[name] === "write",
  );
}

function passwordOf(basic: string): string {
  const text = Buffer.from(basic, "base64").toString("utf8");
  return text.slice(text.indexOf(":") + 1);
}
