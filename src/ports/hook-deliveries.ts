/** What GitHub remembers of the webhooks it sent our App, for the last days. Methods reject with GitHubFailed. */
export interface HookDeliveries {
  /** Every attempt since `since`, newest first; several attempts share a GUID. */
  since(since: Date): Promise<readonly HookAttempt[]>;
  /** Asks GitHub to send a delivery once more; it comes back under its old GUID. */
  redeliver(attemptId: string): Promise<void>;
}

export interface HookAttempt {
  readonly id: string;
  readonly guid: string;
  readonly deliveredAt: string;
  /** Whether we answered with success. */
  readonly arrived: boolean;
}
