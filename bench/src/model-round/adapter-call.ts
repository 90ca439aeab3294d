import type { TranscriptEntry } from "@toolbus/contracts";
import type { ModelReply, ModelRequest } from "@toolbus/models";
import { act, ARGUMENTS } from "../embedded/noop-tools.ts";
import { SYSTEM_PROMPT, taskOf } from "../run-loop/loop.ts";
import { answerOf, look } from "./round.ts";

/** One way to ask the model for a turn. */
export interface ModelClient {
  ask(request: ModelRequest): Promise<Pick<ModelReply, "text" | "calls">>;
}

/** The number of finished rounds in the requested history. */
const DONE = 4;

/**
 * Requests turns as a run does: a turn with a tool call and a turn with an answer alternate. The history has four rounds. The last round is a new
 * object in each request, as in a run. Rejects if a turn differs from the stub's.
 */
export async function askTurns(client: ModelClient, count: number): Promise<void> {
  for (let n = 0; n < count; n++) {
    const rounds = n % 2 === 0 ? DONE + 1 : DONE;
    const { text, calls } = await client.ask(requestFor(rounds));
    const right =
      rounds === DONE
        ? text === answerOf(DONE) && calls.length === 0
        : calls[0]?.name === look.name && calls[0].arguments.includes(`"limit":${10 + DONE}`);
    if (!right) throw new Error(`a turn was read as ${JSON.stringify({ text, calls }).slice(0, 200)}`);
  }
}

const OLD = Array.from({ length: DONE - 1 }, (_, n) => roundOf(n)).flat();
const TOOLS = [{ name: look.name, description: look.description, parameters: look.parameters }];

function requestFor(rounds: number): ModelRequest {
  return {
    system: SYSTEM_PROMPT,
    transcript: [{ type: "user", runId: "run", text: taskOf(rounds), at: 0 }, ...OLD, ...roundOf(DONE - 1)],
    tools: TOOLS,
    maxTokens: 1024,
    run: { runId: "run", profile: "chat", input: {} },
  };
}

function roundOf(n: number): readonly TranscriptEntry[] {
  const id = `call_${n + 1}`;
  const text = JSON.stringify({ ...ARGUMENTS, limit: 10 + n });
  const place = { runId: "run", round: n + 1, at: 0 };
  return [
    {
      type: "assistant",
      ...place,
      text: "",
      calls: [{ id, callId: id, name: look.name, arguments: text }],
      provider: "stub",
      model: "stub",
    },
    { type: "result", ...place, id, callId: id, name: look.name, status: "ok", content: JSON.stringify(act()), isError: false },
  ];
}
