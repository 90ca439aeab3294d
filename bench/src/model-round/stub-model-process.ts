// A stub of a language model that answers at once, in a separate process. It speaks OpenAI's chat completions, plain and streamed, and Anthropic's
// messages, streamed. It asks for one tool call per round until the number of rounds in the user's message is reached, and then answers. It remembers
// nothing between requests, so it counts only the results that a request contains.
import { once } from "node:events";
import { createServer } from "node:http";
import { answerQuestions } from "../asked-process.ts";
import { RESULT_MARK } from "./round.ts";
import { chatCompletion, chatEvents, messageEvents } from "./stub-turns.ts";

/** Starts the stub. The answer is its address. */
export interface StubQuestion {
  readonly kind: "begin";
}

const MARK = Buffer.from(RESULT_MARK);
const STREAMED = Buffer.from('"stream":true');

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    const body = Buffer.concat(chunks);
    const rounds = Number(/Look (\d+) times\./.exec(body.toString("latin1"))?.[1] ?? 0);
    const turn = { done: countOf(MARK, body), rounds };
    if (request.url === "/v1/chat/completions" && !body.includes(STREAMED)) {
      const text = chatCompletion(turn);
      response.writeHead(200, { "content-type": "application/json", "content-length": Buffer.byteLength(text) }).end(text);
      return;
    }
    if (request.url !== "/v1/chat/completions" && request.url !== "/v1/messages") {
      response.writeHead(404, { "content-type": "text/plain" }).end(`The stub of a model knows no ${request.url}.`);
      return;
    }
    response.writeHead(200, { "content-type": "text/event-stream" });
    // Each event is a separate chunk, as events arrive from a real model.
    for (const event of request.url === "/v1/messages" ? messageEvents(turn) : chatEvents(turn)) response.write(event);
    response.end();
  });
});
server.keepAliveTimeout = 60_000;

answerQuestions<StubQuestion>(
  async () => {
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const address = server.address();
    if (address === null || typeof address === "string") throw new Error("the stub of a model has no port");
    return { url: `http://127.0.0.1:${address.port}` };
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
