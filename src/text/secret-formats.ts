/** A secret that is known by its own shape, wherever it stands. */
export interface SecretFormat {
  /** What the mark left in its place says. */
  readonly kind: string;
  /**
   * Source of a pattern for the whole secret. Linear on any input: it starts with fixed letters, and an open-ended run
   * is either its last part or cannot begin again inside itself.
   */
  readonly pattern: string;
  /** A last look where the shape alone also fits ordinary text. */
  readonly unless?: (match: string) => boolean;
}

const hasNoDigit = (match: string): boolean => !/\d/.test(match);
const isPlainWords = (match: string): boolean => !/\d/.test(match) || !/[A-Z]/.test(match);

/** Token formats of the services that CI talks to, each as its issuer documents it. */
export const SECRET_FORMATS: readonly SecretFormat[] = [
  // Installation tokens: 40 characters until 2026, then `ghs_<app id>_<JWT>` of about 520 with dots and dashes.
  { kind: "github-token", pattern: "ghs_[A-Za-z0-9._-]{36,}" },
  { kind: "github-token", pattern: "gh[pour]_[A-Za-z0-9]{30,}" },
  { kind: "github-token", pattern: "github_pat_[A-Za-z0-9_]{22,}" },
  { kind: "gitlab-token", pattern: "gl(?:pat|dt|rt|cbt|ptt|soat)-[A-Za-z0-9_.-]{20,}" },
  { kind: "npm-token", pattern: "npm_[A-Za-z0-9]{36,}" },
  { kind: "pypi-token", pattern: "pypi-[A-Za-z0-9_-]{50,}" },
  { kind: "rubygems-token", pattern: "rubygems_[a-f0-9]{48}" },
  { kind: "docker-token", pattern: "dckr_(?:pat|oat)_[A-Za-z0-9_-]{20,}" },
  { kind: "aws-key", pattern: "(?<![A-Za-z0-9])(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Za-z0-9])" },
  { kind: "google-key", pattern: "AIza[0-9A-Za-z_-]{35}" },
  { kind: "google-token", pattern: "ya29\\.[0-9A-Za-z_-]{20,}" },
  { kind: "google-secret", pattern: "GOCSPX-[0-9A-Za-z_-]{20,}" },
  { kind: "slack-token", pattern: "xox[abeoprs]-[A-Za-z0-9-]{10,}", unless: hasNoDigit },
  { kind: "slack-token", pattern: "xapp-\\d-[A-Za-z0-9-]{10,}" },
  { kind: "slack-webhook", pattern: "hooks\\.slack\\.com/(?:services|workflows)/[A-Za-z0-9/_-]{20,}" },
  { kind: "stripe-key", pattern: "(?<![A-Za-z0-9])[rs]k_(?:live|test)_[A-Za-z0-9]{16,}" },
  { kind: "stripe-key", pattern: "whsec_[A-Za-z0-9+/=]{24,}" },
  { kind: "model-key", pattern: "(?<![A-Za-z0-9])sk-[A-Za-z0-9_-]{20,}", unless: isPlainWords },
  { kind: "huggingface-token", pattern: "(?<![A-Za-z0-9])hf_[A-Za-z0-9]{30,}" },
  { kind: "azure-secret", pattern: "(?<![A-Za-z0-9])[A-Za-z0-9_~.-]{3}[0-9]Q~[A-Za-z0-9_~.-]{31,34}" },
  { kind: "sendgrid-key", pattern: "(?<![A-Za-z0-9])SG\\.[A-Za-z0-9_-]{16,64}\\.[A-Za-z0-9_-]{16,}" },
  { kind: "digitalocean-token", pattern: "do[por]_v1_[a-f0-9]{64}" },
  { kind: "vault-token", pattern: "(?<![A-Za-z0-9])hv[bs]\\.[A-Za-z0-9_-]{24,}" },
  { kind: "databricks-token", pattern: "(?<![A-Za-z0-9])dapi[a-f0-9]{32}" },
  { kind: "linear-key", pattern: "lin_api_[A-Za-z0-9]{32,}" },
  { kind: "atlassian-token", pattern: "ATATT3[A-Za-z0-9_=-]{40,}" },
  { kind: "age-key", pattern: "AGE-SECRET-KEY-1[A-Z0-9]{40,}" },
  { kind: "telegram-token", pattern: "(?<![A-Za-z0-9])\\d{8,10}:AA[A-Za-z0-9_-]{33}(?![A-Za-z0-9_-])" },
  { kind: "jwt", pattern: "(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{10,}\\.[A-Za-z0-9_-]{10,}\\.[A-Za-z0-9_-]*" },
];
