// A stub of a language model that answers at once, in a separate process. It speaks OpenAI's chat completions over HTTP. It asks for one tool call
// per round until the number of rounds in the user's message is reached, and then answers. It remembers nothing between requests.
import { once } from "node:events";
import { createServer } from "node:http";
import { answerQuestions } from "../asked-process.ts";
import { ARGUMENTS } from "../embedded/noop-tools.ts";

/** Starts the stub. The answer is its address. */
export interface StubQuestion {
  readonly kind: "begin";
}

/** This text occurs once for each tool result in the JSON of a request. It cannot occur inside a text, because quotes are escaped there. */
const RESULT = Buffer.from('"role":"tool"');

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    const body = Buffer.concat(chunks);
    const rounds = Number(/Look (\d+) times\./.exec(body.toString("latin1"))?.[1] ?? 0);
    const text = JSON.stringify(completion(countOf(RESULT, body), rounds));
    response.writeHead(200, { "content-type": "application/json", "content-length": Buffer.byteLength(text) }).end(text);
  });
});

answerQuestions<StubQuestion>(
  async () => {
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const address = server.address();
    if (address === null || typeof address === "string") throw new Error("the stub of a model has no port");
    return { url: `http://127.0.0.1:${address.port}/v1/chat/completions` };
  },
  async () => {
    server.closeAllConnections();
    server.close();
  },
);

function countOf(part: Buffer, bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(part); at >= 0; at = bytes.indexOf(part, at + part.length)) count++;
  return count;
}

function completion(done: number, rounds: number): object {
  const call = {
    id: `call_${done + 1}`,
    type: "function",
    // The arguments differ in each call, because the agent stops a run as a loop if its model repeats a call.
    function: { name: "look", arguments: JSON.stringify({ ...ARGUMENTS, limit: 10 + done }) },
  };
  const message =
    done < rounds ? { role: "assistant", content: null, tool_calls: [call] } : { role: "assistant", content: `Looked ${done} times.` };
  return {
    id: "chatcmpl-stub",
    object: "chat.completion",
    model: "stub-1",
    choices: [{ index: 0, message, finish_reason: done < rounds ? "tool_calls" : "stop" }],
    usage: { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 },
  };
}
