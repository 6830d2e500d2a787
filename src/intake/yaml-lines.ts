import { EVENT_MAPPING, EVENT_POP, EVENT_SCALAR, EVENT_SEQUENCE, parseEvents } from "js-yaml";

/** The 1-based line where the value at a path of keys and indexes stands in a YAML text; null when it is not found. */
export function lineOfPath(text: string, path: readonly PropertyKey[]): number | null {
  const offset = offsets(text).get(path.map(String).join("\u0000"));
  return offset === undefined ? null : text.slice(0, offset).split("\n").length;
}

interface Open {
  readonly path: readonly string[];
  readonly kind: "mapping" | "sequence";
  /** In a mapping: the key whose value comes next. */
  key: string | null;
  index: number;
}

function offsets(text: string): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  const open: Open[] = [];
  const place = (at: number): readonly string[] => {
    const parent = open.at(-1);
    if (parent === undefined) return [];
    const step = parent.kind === "sequence" ? String(parent.index++) : (parent.key ?? "");
    parent.key = null;
    const path = [...parent.path, step];
    if (!found.has(path.join("\u0000"))) found.set(path.join("\u0000"), at);
    return path;
  };
  for (const event of parseEvents(text, {})) {
    if (event.type === EVENT_SCALAR) {
      const parent = open.at(-1);
      if (parent?.kind === "mapping" && parent.key === null) {
        parent.key = text.slice(event.valueStart, event.valueEnd);
        found.set([...parent.path, parent.key].join("\u0000"), event.valueStart);
      } else place(event.valueStart);
    } else if (event.type === EVENT_MAPPING || event.type === EVENT_SEQUENCE) {
      const kind = event.type === EVENT_MAPPING ? "mapping" : "sequence";
      open.push({ path: place(event.start), kind, key: null, index: 0 });
    } else if (event.type === EVENT_POP) {
      open.pop();
    }
  }
  return found;
}
