/** What a request is answered with. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export function text(status: number, line: string, headers: Readonly<Record<string, string>> = {}): Answer {
  return { status, headers: { "content-type": "text/plain; charset=utf-8", ...headers }, body: `${line}\n` };
}

export function json(status: number, value: unknown): Answer {
  return { status, headers: { "content-type": "application/json; charset=utf-8" }, body: `${JSON.stringify(value)}\n` };
}

/** A page that loads nothing and runs nothing: what it shows comes from other people's repositories. */
export function html(status: number, body: string): Answer {
  const policy =
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
  return {
    status,
    headers: { "content-type": "text/html; charset=utf-8", "content-security-policy": policy },
    body,
  };
}
