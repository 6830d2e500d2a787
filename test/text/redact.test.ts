import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { redact, redactCounting } from "../../src/text/redact.ts";

// Put together here so that no scanner takes this file for a leak.
const random = (length: number): string =>
  "q7Zk2PxW9vLm4RtY8sNc3HdJ6fGb1QaE5uTi0OpXrVzKwMyBnCj".repeat(Math.ceil(length / 51)).slice(0, length);
const hex = (length: number): string => "9f86d081884c7d65".repeat(Math.ceil(length / 16)).slice(0, length);
const jwt = `eyJ${random(30)}.eyJ${random(80)}.${random(43)}`;
const keyLines = `${random(51)}==`
  .replace(/=/g, "A")
  .match(/.{1,27}/g)
  ?.join("\n");

describe("redact", () => {
  it.each([
    { name: "a classic GitHub token", text: `x ghp_${random(36)} y`, expected: "x [redacted:github-token] y" },
    { name: "an OAuth token", text: `gho_${random(36)}`, expected: "[redacted:github-token]" },
    { name: "a user token", text: `ghu_${random(36)}`, expected: "[redacted:github-token]" },
    { name: "a refresh token", text: `ghr_${random(76)}`, expected: "[redacted:github-token]" },
    { name: "an old installation token", text: `ghs_${random(36)}`, expected: "[redacted:github-token]" },
    {
      name: "a long installation token with dots and dashes",
      text: `"ghs_123456_eyJ${random(90)}.eyJ${random(300)}-_.${random(86)}"`,
      expected: '"[redacted:github-token]"',
    },
    {
      name: "a fine-grained token",
      text: `github_pat_${random(22)}_${random(59)}`,
      expected: "[redacted:github-token]",
    },
    { name: "a GitLab token", text: `glpat-${random(20)}`, expected: "[redacted:gitlab-token]" },
    {
      name: "an npm token",
      text: `//registry/:_authToken=npm_${random(36)}`,
      expected: "//registry/:_authToken=[redacted:npm-token]",
    },
    { name: "a PyPI token", text: `pypi-AgEIcHlwaS5vcmc${random(60)}`, expected: "[redacted:pypi-token]" },
    { name: "an AWS key id", text: "AKIAIOSFODNN7ABCDEFG", expected: "[redacted:aws-key]" },
    { name: "a temporary AWS key id", text: "id ASIAIOSFODNN7ABCDEFG.", expected: "id [redacted:aws-key]." },
    {
      name: "an AWS secret",
      text: `aws_secret_access_key = ${random(20)}/${random(19)}`,
      expected: "aws_secret_access_key = [redacted:named-secret]",
    },
    { name: "a Google key", text: `AIza${random(35)}`, expected: "[redacted:google-key]" },
    { name: "a Slack token", text: `xoxb-123456789012-${random(24)}`, expected: "[redacted:slack-token]" },
    { name: "a Stripe key", text: `sk_live_${random(24)}`, expected: "[redacted:stripe-key]" },
    { name: "a model key", text: `sk-proj-${random(48)}`, expected: "[redacted:model-key]" },
    { name: "an Azure client secret", text: `${random(3)}8Q~${random(34)}`, expected: "[redacted:azure-secret]" },
    {
      name: "an Azure storage key",
      text: `AccountKey=${random(86)}==;Next=1`,
      expected: "AccountKey=[redacted:named-secret];Next=1",
    },
    { name: "a JWT", text: `got ${jwt} back`, expected: "got [redacted:jwt] back" },
    {
      name: "a bearer header",
      text: `Authorization: Bearer ${random(30)}`,
      expected: "Authorization: Bearer [redacted:authorization]",
    },
    {
      name: "a basic header",
      text: "authorization: basic dXNlcjpwYXNzd29yZDE=",
      expected: "authorization: basic [redacted:authorization]",
    },
    {
      name: "credentials in a URL",
      text: "git clone https://bob:hunter2pass@git.acme.dev/x.git",
      expected: "git clone https://bob:[redacted:url-credentials]@git.acme.dev/x.git",
    },
    {
      name: "a token as the user of a URL",
      text: `https://${random(30)}@host/x`,
      expected: "https://[redacted:url-credentials]@host/x",
    },
    {
      name: "a key block, its lines kept",
      text: `a\n-----BEGIN RSA PRIVATE KEY-----\n${keyLines}\n-----END RSA PRIVATE KEY-----\nb`,
      expected: "a\n[redacted:private-key]\n\n\n\nb",
    },
    {
      name: "a key block on one line",
      text: `KEY="-----BEGIN PRIVATE KEY-----\\n${random(40)}\\n-----END PRIVATE KEY-----\\n"`,
      expected: 'KEY="[redacted:private-key]\\n"',
    },
    {
      name: "a key block that is cut off",
      text: `-----BEGIN OPENSSH PRIVATE KEY-----\n${keyLines}\n\nDone in 3 s`,
      expected: "[redacted:private-key]\n\n\n\nDone in 3 s",
    },
    { name: "an environment line", text: "DB_PASSWORD=hunter2go", expected: "DB_PASSWORD=[redacted:named-secret]" },
    {
      name: "a plain word in an environment line",
      text: "export API_TOKEN=swordfish",
      expected: "export API_TOKEN=[redacted:named-secret]",
    },
    { name: "a YAML value", text: "  password: swordfish", expected: "  password: [redacted:named-secret]" },
    {
      name: "a JSON value",
      text: '{"apiKey": "k3y-value-1", "a": 1}',
      expected: '{"apiKey": "[redacted:named-secret]", "a": 1}',
    },
    {
      name: "an escaped JSON value",
      text: '"{\\"client_secret\\":\\"s3cr3t-1\\"}"',
      expected: '"{\\"client_secret\\":\\"[redacted:named-secret]\\"}"',
    },
    {
      name: "a value in code",
      text: "const password = 'hunter2go';",
      expected: "const password = '[redacted:named-secret]';",
    },
    {
      name: "a passphrase with blanks",
      text: 'passphrase: "correct horse battery"',
      expected: 'passphrase: "[redacted:named-secret]"',
    },
    {
      name: "an option of a command",
      text: "login --token abc123def --yes",
      expected: "login --token [redacted:named-secret] --yes",
    },
    { name: "a masked value", text: "::add-mask::swordfish", expected: "::add-mask::[redacted:masked-value]" },
    {
      name: "a random value of any name",
      text: `SESSION="${random(40)}"`,
      expected: 'SESSION="[redacted:random-value]"',
    },
    { name: "an e-mail address", text: "Author: Bo <bo.li+x@acme.dev>", expected: "Author: Bo <[redacted:email]>" },
    { name: "a home", text: "at /home/bob/app/x.js:1", expected: "at /home/~/app/x.js:1" },
    { name: "a home on macOS", text: "/Users/bob/x", expected: "/Users/~/x" },
    { name: "a home on Windows", text: "C:\\Users\\bob\\x", expected: "C:\\Users\\~\\x" },
  ])("takes out $name", ({ text, expected }) => {
    expect(redact(text)).toBe(expected);
  });

  it.each([
    ["what GitHub masked already", "token: ***"],
    ["what GitHub masked in a URL", "https://x-access-token:***@github.com/o/r"],
    ["a call in code", "password = getPassword()"],
    ["a member in code", "const token = process.env.TOKEN;"],
    ["an argument by name", "connect(user=user, password=password_value)"],
    ["a variable of the shell", "TOKEN=$MY_TOKEN"],
    ["an expression of a workflow", "token: ${{ secrets.GITHUB_TOKEN }}"],
    ["a type", "password: string;"],
    ["a type in Python", "token: Optional[str] = None"],
    ["a path of Rust", "credentials::store::open"],
    ["a comparison", "if token == expected_token:"],
    ["a parser's message", "error: unexpected token: identifier_name"],
    ["another parser's message", "SyntaxError: Unexpected token '}', \"{x}\" is not valid JSON"],
    ["a message of a form", '"password": "Password is required"'],
    ["an obvious placeholder", "API_KEY=your-api-key-here"],
    ["the password of a service container", "POSTGRES_PASSWORD: postgres"],
    ["its URL", "postgres://postgres:postgres@localhost:5432/test"],
    ["a count of tokens", "max_tokens=4096, tokens: 12345"],
    ["inherited secrets", "    secrets: inherit"],
    ["a permission", "  id-token: write"],
    ["a commit id", `HEAD is now at ${hex(40)}`],
    ["a commit id by name", `sha=${hex(40)}`],
    ["an integrity line", `"integrity": "sha512-${random(86)}==",`],
    ["a checksum of Go", `example.com/mod v1.2.3 h1:${random(43)}=`],
    ["a hash of pip", `--hash=sha256:${hex(64)}`],
    ["a digest of an image", `image: node@sha256:${hex(64)}`],
    ["a cache key", `key: node-cache-Linux-x64-npm-${hex(64)}`],
    ["a folder of the runner", "GITHUB_ENV=/home/runner/work/_temp/_runner_file_commands/set_env_61a42556-8a96-4b71"],
    ["a runner's name", "Runner name: 'ubuntu-latest-8-cores_f4115020f96a'"],
    ["a folder of a cache", `dir: /tmp/pip-wheel-cache-ykkfcoa_/wheels/c8/f0/b0/${hex(50)}`],
    ["a long name in code", "const result2 = shouldReturnTheNumberOfItems2WhenCalledTwice"],
    ["a long path", "file: packages/core/src/components/HeaderBar2/index"],
    ["an SSH address", "git@github.com:owner/repo.git"],
    ["a package at a version", "my-package@1.2.3-rc.next"],
    ["an action at a version", "uses: actions/checkout@v4"],
    ["an address for examples", "expect(user.email).toBe('bo@example.com')"],
    ["the runner's own path", "/home/runner/work/app/app/src/x.ts"],
    ["a home already redacted", "/home/~/app"],
    ["a word with sk- in it", "run task-runner-with-a-very-long-name"],
    ["a kebab word", "sk-learn-contrib-with-a-long-name"],
    ["words about keys", "-----BEGIN PRIVATE KEY----- is missing, see -----END PRIVATE KEY-----"],
    ["a bearer in prose", "bearer authentication-required"],
    ["an empty value", "PASSWORD=\nNEXT=1"],
    ["an Angular module path", "at ModuleJob.run (node:internal/modules/esm/module_job:222:25)"],
  ])("leaves %s", (_name, text) => {
    expect(redact(text)).toBe(text);
  });

  it("counts what it took out, by kind", () => {
    const text = `ghp_${random(36)} bo@acme.dev li@acme.dev /home/bo/x`;

    expect(redactCounting(text)).toEqual({
      text: "[redacted:github-token] [redacted:email] [redacted:email] /home/~/x",
      redactions: 4,
      kinds: { "github-token": 1, email: 2, "home-path": 1 },
    });
  });

  it("changes nothing more when done twice, and keeps the number of lines", () => {
    const piece = fc.constantFrom(
      ...[
        "ghp_",
        "ghs_",
        "eyJ",
        ".",
        "-",
        "_",
        "password",
        "token",
        "=",
        ":",
        " ",
        '"',
        "'",
        "\n",
        "@",
        "acme.dev",
        "https://",
      ],
      ...[
        "/home/",
        "bob",
        "/",
        "-----BEGIN PRIVATE KEY-----",
        "-----END PRIVATE KEY-----",
        "[redacted:",
        "]",
        "***",
        "Bearer ",
      ],
      ...[
        random(16),
        random(24),
        random(40),
        hex(40),
        "AKIAIOSFODNN7ABCDEFG",
        "::add-mask::",
        "--token ",
        "\\",
        "$",
        "(",
        ")",
      ],
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 14 }), (pieces) => {
        const text = pieces.join("");
        const once = redact(text);

        expect(redact(once)).toBe(once);
        expect(once.split("\n").length).toBe(text.split("\n").length);
      }),
      { numRuns: 3_000 },
    );
  });

  it.each([
    "a",
    "a.",
    "a-",
    "ghs_",
    "eyJ",
    "eyJaaaaaaaaaa.",
    "-----BEGIN PRIVATE KEY-----",
    "token=",
    "password: ",
    "a@",
    "@a.",
    "://",
    "a://b:",
    "sk-",
    "/home/",
    "xoxb-",
    "A1a",
    '"',
    "token token ",
    "--a-",
    "-----BEGIN PRIVATE KEY-----\nAAAAAAAAAAAAAAAAAAAA",
    "Bearer ",
    '\\"',
    "secret_",
    "passwordpassword-key",
  ])("takes time in proportion to the length of a line of %j", (unit) => {
    const time = (length: number): number => {
      const line = unit.repeat(Math.ceil(length / unit.length));
      const start = performance.now();
      redact(line);
      return performance.now() - start;
    };
    time(10_000);

    const short = Math.min(time(250_000), time(250_000));
    const long = time(1_000_000);

    // Four times as long: quadratic work would be sixteen times as much. The sum allows for a busy machine.
    expect(long).toBeLessThan(short * 9 + 400);
    expect(long).toBeLessThan(5_000);
  });
});
