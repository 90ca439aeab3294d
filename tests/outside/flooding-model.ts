// An OpenAI-compatible server. The last message of the conversation decides whether it answers at once, answers slowly, or sends a flood of data.
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { setTimeout as pause } from "node:timers/promises";

const PIECE = 65_536;
const chunk = (delta: object, finish: string | null = null): string =>
  `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", model: "m", choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
const piece = (args: string, name?: string): object => ({
  tool_calls: [{ index: 0, ...(name ? { id: "call_1", type: "function" } : {}), function: { ...(name ? { name } : {}), arguments: args } }],
});

const manners: Readonly<Record<string, (say: (text: string) => Promise<void>, words: readonly string[]) => Promise<void>>> = {
  async endless_stream(say) {
    const events = chunk({ content: "x".repeat(100) }).repeat(300);
    for (;;) await say(events);
  },
  async endless_line(say) {
    await say("data: ");
    for (;;) await say("x".repeat(PIECE));
  },
  async large_argument(say, [bytes = "0"]) {
    await say(chunk(piece('{"release_id":"', "get_release_summary")));
    for (let sent = 0; sent < Number(bytes); sent += PIECE) await say(chunk(piece("x".repeat(PIECE))));
    await say(chunk(piece('"}')) + chunk({}, "tool_calls"));
  },
  async slowly(say, [first = "0", each = "0", times = "1"]) {
    await pause(Number(first));
    for (let n = 0; n < Number(times); n++) {
      await say(chunk({ content: `${n} ` }));
      await pause(Number(each));
    }
    await say(chunk({}, "stop"));
  },
  async answer(say) {
    await say(chunk({ content: "All is well." }) + chunk({}, "stop"));
  },
};

const server = createServer((request, response) => {
  response.on("error", () => undefined);
  void text(request).then(
    async (body) => {
      const { messages } = JSON.parse(body) as { readonly messages: readonly { readonly role: string; readonly content: unknown }[] };
      const [manner = "", ...words] = String(messages.findLast(({ role }) => role === "user")?.content).split(" ");
      response.writeHead(200, { "content-type": "text/event-stream" });
      await (manners[manner] ?? manners["answer"])?.((piece) => written(response, piece), words);
      response.end("data: [DONE]\n\n");
    },
    () => undefined,
  );
});
server.listen(0, "127.0.0.1", () => void process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}/v1\n`));

/** Resolves when the piece was sent. Never resolves if the client has disconnected. */
function written(response: ServerResponse, piece: string): Promise<void> {
  return new Promise((resolve) => void response.write(piece, (error) => (error ? undefined : resolve())));
}
