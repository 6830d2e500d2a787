import type { DeliveryTally } from "./webhook-door.ts";

interface Metric {
  readonly name: string;
  readonly type: "gauge" | "counter";
  readonly help: string;
  readonly values: readonly { readonly labels?: string; readonly value: number }[];
}

/** Numbers of this process and its queue in Prometheus' text format 0.0.4. */
export function renderMetrics(
  queue: { readonly waiting: number; readonly working: number },
  tally: DeliveryTally,
): string {
  const memory = process.memoryUsage();
  const cpu = process.cpuUsage();
  const metrics: readonly Metric[] = [
    {
      name: "retrace_jobs",
      type: "gauge",
      help: "Jobs in the queue.",
      values: [
        { labels: 'state="waiting"', value: queue.waiting },
        { labels: 'state="working"', value: queue.working },
      ],
    },
    {
      name: "retrace_deliveries_total",
      type: "counter",
      help: "Webhook deliveries since the start.",
      values: Object.entries(tally).map(([result, value]) => ({ labels: `result="${result}"`, value })),
    },
    gauge("retrace_uptime_seconds", "How long this process has run.", process.uptime()),
    gauge("process_resident_memory_bytes", "Resident memory.", memory.rss),
    gauge("nodejs_heap_size_used_bytes", "Heap used by the thread that answers.", memory.heapUsed),
    {
      name: "process_cpu_seconds_total",
      type: "counter",
      help: "User and system time of all threads.",
      values: [{ value: (cpu.user + cpu.system) / 1e6 }],
    },
  ];
  return metrics.map(render).join("");
}

function gauge(name: string, help: string, value: number): Metric {
  return { name, type: "gauge", help, values: [{ value }] };
}

function render({ name, type, help, values }: Metric): string {
  const lines = values.map(({ labels, value }) => `${name}${labels === undefined ? "" : `{${labels}}`} ${value}\n`);
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join("")}`;
}
