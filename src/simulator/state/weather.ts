/** Bad weather that a test orders: what GitHub and its runners do wrong, and when. */
export interface Weather {
  /**
   * The next run of this repository (and branch) fails for a reason outside the code; a re-run is not touched.
   * `runner-lost`: the runner goes away under the first script step. `network`: that step dies of a connection error.
   * `flaky`: the steps run, then the last script step reports a test that timed out.
   */
  nextRunFails(fault: Fault): void;
  /** Every job that starts from now on waits this long first. */
  slowRuns(ms: number): void;
  /** Log downloads answer with this for so long: 404 `missing`, 502 `broken`, 410 `gone`. */
  logsAre(state: "missing" | "broken" | "gone", forMs: number): void;
  /** Pushes to this branch start no runs. */
  noRunsOn(branch: string): void;
  /** Runs of this branch wait for a person: completed with `action_required`, no jobs. */
  approvalNeededOn(branch: string): void;
}

export interface Fault {
  readonly kind: "runner-lost" | "network" | "flaky";
  /** owner/name; any repository without it. */
  readonly repository?: string;
  readonly branch?: string;
}

export interface WeatherState extends Weather {
  readonly faults: Fault[];
  readonly jobDelayMs: () => number;
  readonly logStatus: () => number | null;
  readonly runless: Set<string>;
  readonly approvals: Set<string>;
}

const LOG_STATUS = { missing: 404, broken: 502, gone: 410 } as const;

/** Nothing ordered yet. `now` in milliseconds. */
export function fairWeather(now: () => number): WeatherState {
  const faults: Fault[] = [];
  const runless = new Set<string>();
  const approvals = new Set<string>();
  let delay = 0;
  let logs: { readonly status: number; readonly until: number } | null = null;
  return {
    faults,
    runless,
    approvals,
    jobDelayMs: () => delay,
    logStatus: () => (logs !== null && now() < logs.until ? logs.status : null),
    nextRunFails: (fault) => void faults.push(fault),
    slowRuns(ms) {
      delay = ms;
    },
    logsAre(state, forMs) {
      logs = { status: LOG_STATUS[state], until: now() + forMs };
    },
    noRunsOn: (branch) => void runless.add(branch),
    approvalNeededOn: (branch) => void approvals.add(branch),
  };
}

/** Takes the first ordered fault that fits this run out of the list. */
export function takeFault(weather: WeatherState, repository: string, branch: string): Fault | null {
  const at = weather.faults.findIndex(
    (fault) =>
      (fault.repository === undefined || fault.repository === repository) &&
      (fault.branch === undefined || fault.branch === branch),
  );
  return at < 0 ? null : (weather.faults.splice(at, 1)[0] ?? null);
}
