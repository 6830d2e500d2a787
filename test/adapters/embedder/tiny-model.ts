import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";

/**
 * A model folder as sentence-transformers export it, small enough to write by hand: each known word has one vector, and the
 * model's last hidden state is the vectors of its words. Written in ONNX's own format (onnx.proto, IR 8, opset 13).
 */
export function writeTinyModel(dir: string, words: Readonly<Record<string, readonly number[]>>): void {
  const [first = []] = Object.values(words);
  const special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"];
  const vocabulary = [...special, ...Object.keys(words)];
  const rows = [...special.map(() => first.map(() => 0)), ...Object.values(words)];
  mkdirSync(path.join(dir, "onnx"), { recursive: true });
  const json = (name: string, value: unknown) => writeFileSync(path.join(dir, name), JSON.stringify(value));
  json("config.json", { model_type: "bert", architectures: ["BertModel"], hidden_size: first.length });
  json("tokenizer_config.json", { tokenizer_class: "BertTokenizer", model_max_length: 32, pad_token: "[PAD]" });
  json("tokenizer.json", {
    version: "1.0",
    truncation: null,
    padding: null,
    added_tokens: special.map((content, id) => ({
      id,
      content,
      single_word: false,
      lstrip: false,
      rstrip: false,
      normalized: false,
      special: true,
    })),
    normalizer: { type: "Lowercase" },
    pre_tokenizer: { type: "Whitespace" },
    post_processor: null,
    decoder: null,
    model: {
      type: "WordLevel",
      unk_token: "[UNK]",
      vocab: Object.fromEntries(vocabulary.map((word, id) => [word, id])),
    },
  });
  writeFileSync(path.join(dir, "onnx", "model.onnx"), onnx(rows));
}

const FLOAT = 1;
const INT64 = 7;

function onnx(rows: readonly (readonly number[])[]): Buffer {
  const width = rows[0]?.length ?? 0;
  const vectors = message(
    [1, rows.length],
    [1, width],
    [2, FLOAT],
    [8, "vectors"],
    [9, Buffer.from(Float32Array.from(rows.flat()).buffer)],
  );
  const gather = message([1, "vectors"], [1, "input_ids"], [2, "last_hidden_state"], [4, "Gather"]);
  const graph = message(
    [1, gather],
    [2, "tiny"],
    [5, vectors],
    [11, tensor("input_ids", INT64, ["batch", "words"])],
    [11, tensor("attention_mask", INT64, ["batch", "words"])],
    [12, tensor("last_hidden_state", FLOAT, ["batch", "words", width])],
  );
  return message([1, 8], [7, graph], [8, message([1, ""], [2, 13])]);
}

function tensor(name: string, type: number, dims: readonly (string | number)[]): Buffer {
  const shape = message(...dims.map((dim): Field => [1, message(typeof dim === "number" ? [1, dim] : [2, dim])]));
  return message([1, name], [2, message([1, message([1, type], [2, shape])])]);
}

type Field = readonly [number, number | string | Buffer];

/** Protocol buffers: a number is a varint, all else has its length before it. */
function message(...fields: readonly Field[]): Buffer {
  return Buffer.concat(
    fields.map(([number, value]) => {
      if (typeof value === "number") return Buffer.concat([varint(number << 3), varint(value)]);
      const bytes = Buffer.from(value);
      return Buffer.concat([varint((number << 3) | 2), varint(bytes.length), bytes]);
    }),
  );
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  for (let rest = value; ; rest >>>= 7) {
    if (rest < 128) return Buffer.from([...bytes, rest]);
    bytes.push((rest & 127) | 128);
  }
}
