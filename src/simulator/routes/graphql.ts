import { z } from "zod";
import { tellPull } from "../events/tell-app.ts";
import { type Answer, ok, Refusal } from "../http/answers.ts";
import { allow, type Caller, whoActs } from "../http/caller.ts";
import { type Field, GraphqlSyntax, parseGraphql } from "../http/graphql-document.ts";
import { repositoryPage } from "../present/present-repository.ts";
import type { PullRequest, Repository, User } from "../state/nouns.ts";
import { nodeId, repositoryNamed, type Simulation } from "../state/simulation.ts";

const Request = z.object({ query: z.string(), variables: z.record(z.string(), z.unknown()).nullish() });
const PullInput = z.object({ pullRequestId: z.string(), clientMutationId: z.string().nullish() });
const RepositoryArgs = z.object({ owner: z.string(), name: z.string() });

/** A GraphQL object as a table of its fields; a function takes the field's arguments. */
type Node = { readonly [field: string]: unknown };
type Resolver = (args: Readonly<Record<string, unknown>>) => unknown;

class GraphqlError extends Error {
  readonly type: string;

  constructor(type: string, message: string) {
    super(message);
    this.type = type;
  }
}

/** POST /graphql. GitHub answers 200 even where it refuses: the refusal stands in `errors`. */
export async function answerGraphql(simulation: Simulation, caller: Caller, body: unknown): Promise<Answer> {
  if (caller.kind !== "installation" && caller.kind !== "user") {
    throw new Refusal(401, "This endpoint requires you to be authenticated.");
  }
  const request = Request.safeParse(body).data;
  if (request === undefined) throw new Refusal(400, "A query attribute must be specified and must be a string.");
  try {
    const { kind, fields } = parseGraphql(request.query, request.variables ?? {});
    const [typeName, root] =
      kind === "mutation"
        ? (["Mutation", mutations(simulation, caller)] as const)
        : (["Query", queries(simulation, caller)] as const);
    const unknown = fields.find((field) => !(field.name in root));
    if (unknown !== undefined) return ok({ errors: [undefinedField(typeName, unknown)] });
    return ok(await resolveRoot(root, fields));
  } catch (error) {
    if (error instanceof GraphqlSyntax || error instanceof SyntaxError)
      return ok({ errors: [{ message: error.message }] });
    throw error;
  }
}

function mutations(simulation: Simulation, caller: Caller): Node {
  return {
    markPullRequestReadyForReview: changeDraft(simulation, caller, false),
    convertPullRequestToDraft: changeDraft(simulation, caller, true),
  };
}

function queries(simulation: Simulation, caller: Caller): Node {
  return {
    viewer: userNode(whoActs(simulation, caller)),
    repository: (args: Readonly<Record<string, unknown>>) => {
      const { owner, name } = RepositoryArgs.parse(args);
      const repository = repositoryNamed(simulation, `${owner}/${name}`);
      if (repository === null || !mayTouch(simulation, caller, repository, "read")) {
        throw new GraphqlError("NOT_FOUND", `Could not resolve to a Repository with the name '${owner}/${name}'.`);
      }
      return {
        id: nodeId("R", repository.id),
        nameWithOwner: repository.fullName,
        pullRequest: ({ number }: Readonly<Record<string, unknown>>) => {
          const pull = repository.pulls.find((one) => one.number === number);
          if (pull === undefined) {
            throw new GraphqlError("NOT_FOUND", `Could not resolve to a PullRequest with the number of ${number}.`);
          }
          return pullNode(simulation, repository, pull);
        },
      };
    },
  };
}

function changeDraft(simulation: Simulation, caller: Caller, draft: boolean): Resolver {
  return async ({ input }) => {
    const { pullRequestId, clientMutationId } = PullInput.parse(input);
    const [repository, pull] = pullWithNode(simulation, pullRequestId);
    if (!mayTouch(simulation, caller, repository, "write")) {
      throw new GraphqlError("FORBIDDEN", "Resource not accessible by integration");
    }
    if (draft && !repository.allowsDrafts) {
      throw new GraphqlError("UNPROCESSABLE", "Draft pull requests are not supported in this repository.");
    }
    if (pull.draft !== draft) {
      pull.draft = draft;
      pull.updatedAt = simulation.clock.iso();
      const action = draft ? "converted_to_draft" : "ready_for_review";
      await tellPull(simulation, repository, pull, action, whoActs(simulation, caller));
    }
    return { clientMutationId: clientMutationId ?? null, pullRequest: pullNode(simulation, repository, pull) };
  };
}

function pullWithNode(simulation: Simulation, id: string): [Repository, PullRequest] {
  for (const repository of simulation.repositories.values()) {
    const pull = repository.pulls.find((one) => nodeId("PR", one.id) === id);
    if (pull !== undefined) return [repository, pull];
  }
  throw new GraphqlError("NOT_FOUND", `Could not resolve to a node with the global id of '${id}'`);
}

function pullNode(simulation: Simulation, repository: Repository, pull: PullRequest): Node {
  return {
    id: nodeId("PR", pull.id),
    databaseId: pull.id,
    number: pull.number,
    title: pull.title,
    url: `${repositoryPage(simulation, repository)}/pull/${pull.number}`,
    isDraft: pull.draft,
    state: pull.mergedAt === null ? pull.state.toUpperCase() : "MERGED",
    headRefOid: pull.head.sha,
    headRefName: pull.head.ref,
    baseRefName: pull.base.ref,
    author: userNode(pull.user),
  };
}

const userNode = ({ id, login }: User): Node => ({ id: nodeId("U", id), databaseId: id, login });

function mayTouch(simulation: Simulation, caller: Caller, repository: Repository, access: "read" | "write"): boolean {
  try {
    allow(simulation, caller, repository, [{ pull_requests: access }]);
    return true;
  } catch (error) {
    if (error instanceof Refusal) return false;
    throw error;
  }
}

async function resolveRoot(root: Node, fields: readonly Field[]): Promise<unknown> {
  const data: Record<string, unknown> = {};
  const errors: unknown[] = [];
  for (const field of fields) {
    try {
      data[field.alias] = await resolveField(root, field);
    } catch (error) {
      if (!(error instanceof GraphqlError) && !(error instanceof z.ZodError)) throw error;
      const type = error instanceof GraphqlError ? error.type : "INVALID";
      const message =
        error instanceof GraphqlError ? error.message : `Variable or argument of ${field.name} is invalid`;
      data[field.alias] = null;
      errors.push({ type, path: [field.alias], locations: [{ line: 1, column: 1 }], message });
    }
  }
  return errors.length === 0 ? { data } : { data, errors };
}

async function resolveField(node: Node, field: Field): Promise<unknown> {
  const value = node[field.name];
  if (!(field.name in node)) throw new GraphqlError("undefinedField", `Field '${field.name}' doesn't exist`);
  const resolved = typeof value === "function" ? await (value as Resolver)(field.args) : value;
  if (field.fields.length === 0 || typeof resolved !== "object" || resolved === null) return resolved;
  const shown: Record<string, unknown> = {};
  for (const child of field.fields) shown[child.alias] = await resolveField(resolved as Node, child);
  return shown;
}

function undefinedField(typeName: string, { name }: Field) {
  return {
    path: [typeName.toLowerCase(), name],
    extensions: { code: "undefinedField", typeName, fieldName: name },
    locations: [{ line: 1, column: 1 }],
    message: `Field '${name}' doesn't exist on type '${typeName}'`,
  };
}
