import path from "node:path";
import type { Access } from "./state/nouns.ts";

export interface SimulatorOptions {
  /** An existing folder for bare repositories and the checkouts of jobs. The simulator removes what it put there. */
  readonly folder: string;
  /** Where webhooks go; null until `sendWebhooksTo`. */
  readonly webhookUrl?: string | null;
  readonly webhookSecret: string;
  /** 0, the default, takes any free port. The simulator listens on 127.0.0.1 only. */
  readonly port?: number;
  readonly appId?: number;
  readonly appSlug?: string;
  /** PEM; without it a pair is made and its private key handed back. */
  readonly appPublicKey?: string;
  readonly permissions?: Readonly<Record<string, Access>>;
  readonly events?: readonly string[];
  /** PATH of git and of the steps that jobs run. */
  readonly toolPath?: string;
  /** The longest a job may take; GitHub's six hours are too long to wait for. */
  readonly jobTimeoutMs?: number;
  /** Jobs that run at the same time. */
  readonly runners?: number;
}

/** What the manifest of such an app asks for. */
export const APP_PERMISSIONS: Readonly<Record<string, Access>> = {
  metadata: "read",
  actions: "write",
  checks: "write",
  contents: "write",
  pull_requests: "write",
  issues: "write",
};
export const APP_EVENTS = ["workflow_run", "issue_comment", "pull_request", "push", "check_run"] as const;
export const DEFAULTS = {
  port: 0,
  appId: 4242,
  appSlug: "retrace",
  jobTimeoutMs: 300_000,
  runners: 2,
  // The node that runs this, which need not be a system one, and what every system has.
  toolPath: `${path.dirname(process.execPath)}:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin`,
} as const;
