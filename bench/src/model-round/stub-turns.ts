import { ARGUMENTS } from "../embedded/noop-tools.ts";
import { answerOf, look, MODEL } from "./round.ts";

/** The progress of a run, read from its request. */
export interface StubTurn {
  /** The number of results in the request. */
  readonly done: number;
  /** The number of rounds that the user asked for. */
  readonly rounds: number;
}

const USAGE = { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 };
/** Returns the fields of every chunk. Each turn of a run has its own id, because LangGraph keeps only one message for each id. */
const chat = (done: number) => ({ id: `chatcmpl-${done + 1}`, created: 1_700_000_000, model: MODEL });
const TEXT_PIECES = 10;
const ARGUMENT_PIECES = 3;

/** Returns a whole chat completion, as JSON text. */
export const chatCompletion = remembered(({ done, rounds }) => {
  const calls = done < rounds;
  const call = { id: callId(done), type: "function", function: { name: look.name, arguments: argumentsOf(done) } };
  const message = calls
    ? { role: "assistant", content: null, refusal: null, tool_calls: [call] }
    : { role: "assistant", content: answerOf(done), refusal: null };
  return JSON.stringify({
    ...chat(done),
    object: "chat.completion",
    choices: [{ index: 0, message, logprobs: null, finish_reason: calls ? "tool_calls" : "stop" }],
    usage: USAGE,
  });
});

/** Returns the same completion as server-sent events: arguments in a few pieces, text in ten, the usage at the end. */
export const chatEvents = remembered(({ done, rounds }) => {
  const calls = done < rounds;
  const begun = { index: 0, id: callId(done), type: "function", function: { name: look.name, arguments: "" } };
  const deltas: readonly object[] = calls
    ? [
        { role: "assistant", content: null, tool_calls: [begun] },
        ...pieces(argumentsOf(done), ARGUMENT_PIECES).map((text) => ({ tool_calls: [{ index: 0, function: { arguments: text } }] })),
      ]
    : [{ role: "assistant", content: "" }, ...pieces(answerOf(done), TEXT_PIECES).map((content) => ({ content }))];
  const chunk = (delta: object, finish: string | null) => ({
    ...chat(done),
    object: "chat.completion.chunk",
    choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }],
    usage: null,
  });
  const chunks = [
    ...deltas.map((delta) => chunk(delta, null)),
    chunk({}, calls ? "tool_calls" : "stop"),
    { ...chat(done), object: "chat.completion.chunk", choices: [], usage: USAGE },
  ];
  return [...chunks.map((each) => `data: ${JSON.stringify(each)}\n\n`), "data: [DONE]\n\n"];
});

/** Returns the same turn as events of Anthropic's messages. */
export const messageEvents = remembered(({ done, rounds }) => {
  const calls = done < rounds;
  const usage = { input_tokens: 100, output_tokens: 1, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 };
  const message = {
    id: `msg_${done + 1}`,
    type: "message",
    role: "assistant",
    model: MODEL,
    content: [],
    stop_reason: null,
    stop_sequence: null,
  };
  const block = calls ? { type: "tool_use", id: callId(done), name: look.name, input: {} } : { type: "text", text: "" };
  const deltas = calls
    ? pieces(argumentsOf(done), ARGUMENT_PIECES).map((text) => ({ type: "input_json_delta", partial_json: text }))
    : pieces(answerOf(done), TEXT_PIECES).map((text) => ({ type: "text_delta", text }));
  const ending = { stop_reason: calls ? "tool_use" : "end_turn", stop_sequence: null };
  return [
    messageEvent("message_start", { message: { ...message, usage } }),
    messageEvent("content_block_start", { index: 0, content_block: block }),
    ...deltas.map((delta) => messageEvent("content_block_delta", { index: 0, delta })),
    messageEvent("content_block_stop", { index: 0 }),
    messageEvent("message_delta", { delta: ending, usage: { output_tokens: 20 } }),
    messageEvent("message_stop", {}),
  ];
});

function messageEvent(type: string, members: object): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...members })}\n\n`;
}

const callId = (done: number): string => `call_${done + 1}`;

/** Returns different arguments for each call, because the agent stops a run as a loop if its model repeats a call. */
function argumentsOf(done: number): string {
  return JSON.stringify({ ...ARGUMENTS, limit: 10 + done });
}

function pieces(text: string, count: number): readonly string[] {
  const size = Math.ceil(text.length / count);
  return Array.from({ length: count }, (_, n) => text.slice(n * size, (n + 1) * size));
}

/** Builds each turn only once, because the stub's use of the processor slows both sides. */
function remembered<T>(write: (turn: StubTurn) => T): (turn: StubTurn) => T {
  const known = new Map<string, T>();
  return (turn) => {
    const key = `${turn.done}/${turn.rounds}`;
    const made = known.get(key) ?? write(turn);
    known.set(key, made);
    return made;
  };
}
