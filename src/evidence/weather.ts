import type { NonCode } from "../domain/category.ts";
import type { LogLine, StepLog } from "../domain/ci-run.ts";

/** Something no change to the code repairs, as a log shows it. */
export interface Weather {
  readonly class: NonCode;
  readonly message: string;
  readonly lines: readonly number[];
  /** It ended the step from outside: whatever the step printed before is not why. */
  readonly fromOutside: boolean;
}

interface Rule {
  readonly class: NonCode;
  readonly says: RegExp;
  readonly fromOutside?: true;
}

/** In order; of all lines that some rule knows, the last line wins, and on one line the first rule (papers §5.5, §8.8). */
const RULES: readonly Rule[] = [
  { class: "cancelled", says: /^##\[error\]The operation was canceled\.$/, fromOutside: true },
  { class: "cancelled", says: /^##\[error\]Canceling since a higher priority waiting request/, fromOutside: true },
  { class: "cancelled", says: /^##\[error\]The (?:job|run|workflow) was cancell?ed\b/, fromOutside: true },
  { class: "infra_transient", says: /^##\[error\]The runner has received a shutdown signal/, fromOutside: true },
  {
    class: "infra_transient",
    says: /The (?:self-)?hosted runner(?:: .{0,200})? (?:lost communication|encountered an error)/,
    fromOutside: true,
  },
  {
    class: "infra_transient",
    says: /^##\[error\]The action '.{0,300}' has timed out after \d+ minutes/,
    fromOutside: true,
  },
  { class: "infra_transient", says: /has exceeded the maximum execution time of/, fromOutside: true },
  {
    class: "infra_transient",
    says: /The job was not (?:acquired by Runner|started because recent account payments)|GitHub Actions has encountered an internal error when running your job|^##\[error\]The hosted runner lost/,
    fromOutside: true,
  },
  {
    class: "infra_transient",
    says: /No space left on device|ENOSPC: no space left|There is not enough space on the disk|Disk quota exceeded/i,
    fromOutside: true,
  },
  {
    class: "infra_transient",
    says: /Failed to download (?:action|archive) '?https?:|Action '.{0,500}' download has timed out/,
  },
  {
    class: "infra_transient",
    // A conflict is the workflow's own: two jobs upload under one name.
    says: /^##\[error\]Failed to (?:resolve action download info(?!.*unable to find version)|(?:Create|Finalize)Artifact(?!.*Conflict))/,
  },
  {
    class: "infra_transient",
    says: /\b(?:429 Too Many Requests|50[234] (?:Bad Gateway|Service Unavailable|Gateway Time-?out))|HTTP(?:\/[\d.]+)? (?:429|50[234])\b|status(?: code)?:? (?:429|50[234])\b|returned error: (?:429|50[234])\b/i,
  },
  { class: "infra_transient", says: /\b(?:ETIMEDOUT|ECONNRESET|EAI_AGAIN|ESOCKETTIMEDOUT)\b/ },
  {
    class: "infra_transient",
    says: /Temporary failure (?:in name resolution|resolving)|Could not resolve host|Connection (?:timed out|reset by peer)|TLS handshake timeout|net\/http: request canceled|Network is unreachable/i,
  },
  {
    class: "infra_transient",
    says: /\bSSL(?:_| )(?:ERROR_SYSCALL|connect error|connection timeout)|OpenSSL SSL_(?:read|connect)|gnutls_handshake\(\) failed|SSL error|The SSL connection could not be established/i,
  },
  {
    class: "infra_transient",
    says: /toomanyrequests: |You have reached your (?:pull|unauthenticated pull) rate limit|API rate limit exceeded/i,
  },
  // Package managers, git and download tools whose peer was away, slow or broke off.
  {
    class: "infra_transient",
    says: /^(?:fatal|error): (?:unable to access '\S+': |RPC failed; )(?!.*\b40[134]\b)|^(?:fatal|error): (?:early EOF|the remote end hung up unexpectedly)|fetch-pack: unexpected disconnect/i,
  },
  {
    class: "infra_transient",
    says: /^curl: \((?:5|6|7|18|28|35|52|55|56|92)\) |^E: Failed to fetch .*(?:50\d|timed out|Could not connect|Hash Sum mismatch|Connection)|^E: Unable to fetch some archives|Hash Sum mismatch$/,
  },
  {
    class: "infra_transient",
    says: /\b(?:ReadTimeoutError|ConnectTimeoutError|NewConnectionError|SSLEOFError|IncompleteRead)\(|HTTP Error (?:429|50[0234])\b|(?:429|50[0234]) (?:Client|Server) Error:|received unexpected HTTP status: (?:429|50\d)|Unexpected HTTP response: (?:429|50\d)|Cache service responded with (?:429|50\d)/,
  },
  {
    class: "infra_transient",
    says: /\b(?:Get|Head|Post) "?https?:\/\/\S+?"?: (?:.*(?:context deadline exceeded|i\/o timeout|EOF|connection (?:refused|reset)|no such host|TLS handshake timeout))/,
  },
  {
    class: "infra_transient",
    says: /SSL certificate problem|server certificate verification failed|x509: certificate (?:signed by unknown authority|has expired)|\bCERT_HAS_EXPIRED\b|\bUNABLE_TO_(?:VERIFY_LEAF_SIGNATURE|GET_ISSUER_CERT)|\bCERTIFICATE_VERIFY_FAILED\b/,
  },
  {
    class: "infra_transient",
    says: /secondary rate limit|exceeded a secondary rate|rate limit exceeded for installation/i,
  },
  { class: "secret_or_permission", says: /Resource not accessible by (?:integration|personal access token)/ },
  {
    class: "secret_or_permission",
    says: /Credentials could not be loaded|Could not load credentials from any providers|Unable to locate credentials/,
  },
  {
    class: "secret_or_permission",
    says: /Not authorized to perform sts:|is not authorized to perform: |\bAccessDenied(?:Exception)?\b.*(?:Access Denied|when calling)|google-github-actions\/auth failed with|must specify exactly one of "workload_identity_provider"|Login failed with Error: .*(?:auth-type|Not all values are present)/,
  },
  {
    class: "secret_or_permission",
    says: /^(?:##\[error\])?(?:Error: )?(?:Username and password required|Parameter token or opts\.auth is required|.*Error response from daemon: Get .*(?:incorrect username or password|denied: denied|unauthorized))/,
  },
  {
    class: "secret_or_permission",
    says: /Permission denied \(publickey|Host key verification failed\.|refusing to allow (?:a GitHub App|an OAuth App|a Personal Access Token) to create or update workflow|protected branch hook declined|GH013: Repository rule violations|ERR_PNPM_FETCH_40[13]\b/,
  },
  { class: "secret_or_permission", says: /Input required and not supplied: (?:.*(?:token|key|secret|password))/i },
  {
    class: "secret_or_permission",
    says: /^remote: (?:Permission to \S+ denied|Invalid username or password)|fatal: Authentication failed for|could not read Username for 'https/,
  },
  {
    class: "secret_or_permission",
    says: /denied: (?:installation not allowed|permission_denied|requested access to the resource is denied)|unauthorized: authentication required/i,
  },
  {
    class: "secret_or_permission",
    says: /\b(?:HTTP(?:\/[\d.]+)? 40[13]|40[13] (?:Unauthorized|Forbidden)|npm (?:ERR!|error) code (?:E401|E403|ENEEDAUTH))\b/,
  },
  {
    class: "secret_or_permission",
    says: /Bad credentials|Unable to get ACTIONS_ID_TOKEN_REQUEST_URL|The security token included in the request is (?:invalid|expired)/,
  },
];

// What a program retried and got over says nothing: weather counts near the end of the step.
const REACH = 60;
const RETRIES = /retry|attempt \d+ of|back off|^##\[warning\]/i;
const BOUNDARY = /^##\[error\]Process completed with exit code \d+/;

/** The last sign of weather near a step's end, or null. Linear; never throws. */
export function readWeather(step: Pick<StepLog, "lines">): Weather | null {
  const spoken = step.lines.filter((line) => line.text.trim() !== "" && !BOUNDARY.test(line.text));
  const end = spoken.slice(-REACH);
  for (let at = end.length - 1; at >= 0; at--) {
    const line = end[at];
    const rule = line && matching(line);
    if (line !== undefined && rule !== undefined) return toWeather(line, rule, end);
  }
  return null;
}

function matching(line: LogLine): Rule | undefined {
  const text = line.text.slice(0, 1_000);
  const rule = RULES.find(({ says }) => says.test(text));
  return rule?.fromOutside || !RETRIES.test(text) ? rule : undefined;
}

/** All lines of the same class near the end say why; the last one is the message. */
function toWeather(line: LogLine, rule: Rule, end: readonly LogLine[]): Weather {
  const lines = rule.fromOutside ? [line] : end.filter((other) => matching(other)?.class === rule.class);
  return {
    class: rule.class,
    message: line.text
      .replace(/^##\[error\]/, "")
      .trim()
      .slice(0, 500),
    lines: lines.slice(-5).map(({ number }) => number),
    fromOutside: rule.fromOutside ?? false,
  };
}
