import { type Logger, pino } from "pino";
import type { LogLevel } from "../config.ts";
import { redact } from "../text/redact.ts";

// Enough for one sentence of an error; whoever needs more finds it in the transcript.
const LONGEST_FIELD = 500;
const STACK_LINES = 6;
const LEFT_OUT = "[left out]";

/** Where lines of JSON go. Standard error by default: standard output says one thing only, where the server listens. */
export interface LogTarget {
  write(line: string): void;
}

/**
 * The server's log: fixed texts with fields. Only numbers, truth values, short redacted strings and the name, message and
 * places of an error get through, whoever writes: Probot hands over whole events and requests, with payloads, signatures
 * and tokens in them, and none of these is a plain value.
 */
export function openLog(level: LogLevel, target: LogTarget = pino.destination({ fd: 2, sync: true })): Logger {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      // Ours below hands on plain values; pino's own would write out everything an error carries.
      serializers: { err: (value: unknown) => value },
      formatters: {
        level: (label) => ({ level: label }),
        log: plainFields,
        bindings: plainFields,
      },
      hooks: {
        // A message may come with values to be filled in; they are dropped like every other thing that is not plain.
        logMethod(given, method) {
          const [first, second] = given as readonly unknown[];
          if (typeof first === "string") method.call(this, plainText(first));
          else if (typeof second === "string") method.call(this, fieldsOf(first), plainText(second));
          else method.call(this, fieldsOf(first), first instanceof Error ? plainText(first.message) : "");
        },
      },
    },
    target,
  );
}

function fieldsOf(value: unknown): Record<string, unknown> {
  if (value instanceof Error) return { err: value };
  return typeof value === "object" && value !== null ? { ...value } : {};
}

function plainFields(fields: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, plain(value)]));
}

function plain(value: unknown): unknown {
  if (value === null || value === undefined || typeof value === "number" || typeof value === "boolean") return value;
  if (typeof value === "string") return plainText(value);
  if (value instanceof Error) return plainError(value);
  return LEFT_OUT;
}

function plainText(text: string): string {
  const safe = redact(text);
  return safe.length > LONGEST_FIELD ? `${safe.slice(0, LONGEST_FIELD)}…` : safe;
}

function plainError(error: Error): Record<string, unknown> {
  const places = (error.stack ?? "").split("\n").filter((line) => /^\s+at /.test(line));
  const status = "status" in error && typeof error.status === "number" ? { status: error.status } : {};
  return {
    type: error.name,
    message: plainText(error.message.split("\n")[0] ?? ""),
    ...status,
    stack: places.slice(0, STACK_LINES).map((line) => plainText(line.trim())),
  };
}
