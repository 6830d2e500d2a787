import { readFile } from "node:fs/promises";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { z } from "zod";

/** What a model answered once, turn by turn. `{{mark}}` stands for the finishing mark, which is another in every run. */
const Recording = z.object({
  /** Who answered, and to what; shown wherever the recording is played. */
  about: z.string(),
  /** The first user message of the conversation holds this, or the recording does not belong to it. */
  opens: z.string(),
  answers: z.array(z.object({ say: z.string(), command: z.string() })),
});

const Question = z.object({
  model: z.string(),
  messages: z.array(z.object({ role: z.string(), content: z.string().nullish() })),
});

export interface RecordedModel {
  /** With `/v1`. */
  readonly baseUrl: string;
  readonly about: string;
  close(): Promise<void>;
}

/**
 * Plays recorded answers over Chat Completions: the answer of the turn the conversation stands at. A conversation that
 * opens otherwise, or goes on longer, is refused with 400 and must not be tried again.
 */
export async function playRecording(file: string): Promise<RecordedModel> {
  const recording = Recording.parse(JSON.parse(await readFile(file, "utf8")));
  const server = http.createServer((request, response) => {
    void answer(request, recording).then(({ status, body }) => {
      response.writeHead(status, { "content-type": "application/json", "x-should-retry": "false" });
      response.end(JSON.stringify(body));
    });
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    about: recording.about,
    close: () => new Promise((closed) => void server.close(() => closed())),
  };
}

async function answer(request: http.IncomingMessage, recording: z.infer<typeof Recording>) {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const question = Question.safeParse(parseJson(Buffer.concat(chunks).toString("utf8")));
  if (!question.success) return refused("not a question of Chat Completions");
  const { model, messages } = question.data;
  if (!messages.some(({ role, content }) => role === "user" && content?.includes(recording.opens))) {
    return refused("never recorded: the conversation opens otherwise");
  }
  const turn = messages.filter(({ role }) => role === "assistant").length;
  const recorded = recording.answers[turn];
  if (recorded === undefined) return refused(`never recorded: turn ${turn + 1}`);
  const mark = /\bRETRACE_DONE_[0-9a-f]{32}\b/.exec(messages.map(({ content }) => content ?? "").join("\n"))?.[0] ?? "";
  const command = recorded.command.replaceAll("{{mark}}", mark);
  const call = {
    id: `call_${turn}`,
    type: "function",
    function: { name: "bash", arguments: JSON.stringify({ command }) },
  };
  const message = { role: "assistant", content: recorded.say, tool_calls: [call] };
  const choices = [{ index: 0, message, logprobs: null, finish_reason: "tool_calls" }];
  return { status: 200, body: { id: `recorded-${turn}`, object: "chat.completion", created: 0, model, choices } };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function refused(message: string) {
  return { status: 400, body: { error: { message, type: "not_recorded" } } };
}
