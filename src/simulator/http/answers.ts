/** What a route answers: JSON, raw bytes, or nothing. */
export interface Answer {
  readonly status: number;
  readonly body?: unknown;
  readonly raw?: { readonly type: string; readonly content: string | Buffer };
  readonly headers?: Readonly<Record<string, string>>;
}

/** Ends a request with an error in GitHub's shape. */
export class Refusal extends Error {
  override readonly name = "Refusal";
  readonly status: number;
  readonly errors: readonly unknown[] | null;

  constructor(status: number, message: string, errors: readonly unknown[] | null = null) {
    super(message);
    this.status = status;
    this.errors = errors;
  }

  get answer(): Answer {
    const { status, message, errors } = this;
    const documentation_url = "https://docs.github.com/rest";
    const more = errors === null ? { status: String(status) } : { errors, status: String(status) };
    return { status, body: { message, documentation_url, ...more } };
  }
}

/** The usual answers and refusals, by GitHub's words for them. */
export const ok = (body: unknown): Answer => ({ status: 200, body });
export const created = (body: unknown): Answer => ({ status: 201, body });
export const noContent: Answer = { status: 204 };

export const notFound = (): Refusal => new Refusal(404, "Not Found");
export const badCredentials = (): Refusal => new Refusal(401, "Bad credentials");
export const notAccessible = (): Refusal => new Refusal(403, "Resource not accessible by integration");
export const invalid = (...errors: readonly unknown[]): Refusal => new Refusal(422, "Validation Failed", errors);

/** The thing, or 404. */
export function found<T>(thing: T | null | undefined): T {
  if (thing === null || thing === undefined) throw notFound();
  return thing;
}
