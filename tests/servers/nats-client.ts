import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { connect } from "node:net";

/**
 * A small client for things that a bus never does: it reads and deletes streams, and publishes as another program would. It handles one request at a
 * time.
 */
export interface NatsClient extends AsyncDisposable {
  /** Resolves when the server has received the message. */
  publish(subject: string, body: string | Uint8Array, headers?: readonly string[]): Promise<void>;
  /** Publishes to a stream. Rejects with the server's message if the server refuses. */
  store(subject: string, body: string | Uint8Array, headers?: readonly string[]): Promise<void>;
  /** Sends a request to JetStream. Rejects with JetStream's message if it refuses. */
  ask(subject: string, question?: object): Promise<ReadonlyMap<string, unknown>>;
}

const DEADLINE_MS = 10_000;

export async function natsClient(url: string): Promise<NatsClient> {
  // Each client has its own inbox, so simultaneous clients do not receive each other's answers.
  const inbox = `_INBOX.stranger-${randomUUID()}`;
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port), noDelay: true });
  const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
  let bytes: Buffer = Buffer.alloc(0);
  let awaited = Promise.withResolvers<string>();
  socket.on("data", (chunk) => {
    bytes = Buffer.concat([bytes, chunk]);
    takeAll();
  });
  socket.on("error", (error) => awaited.reject(error));
  // If nobody waits for an answer, its rejection is not an error.
  awaited.promise.catch(() => undefined);
  await once(socket, "connect");
  await say(`CONNECT ${JSON.stringify({ verbose: false, headers: true, no_responders: true })}\r\nSUB ${inbox} 1\r\nPING\r\n`);
  return {
    async publish(subject, body, headers) {
      await say(Buffer.concat([publication(subject, body, headers), Buffer.from("PING\r\n")]));
    },
    async store(subject, body, headers) {
      answered(await say(publication(`${subject} ${inbox}`, body, headers)));
    },
    async ask(subject, question) {
      return answered(await say(publication(`${subject} ${inbox}`, question ? JSON.stringify(question) : "")));
    },
    async [Symbol.asyncDispose]() {
      socket.destroy();
      await closed;
    },
  };

  async function say(words: string | Buffer): Promise<string> {
    awaited = Promise.withResolvers();
    const late = setTimeout(() => awaited.reject(new Error(`NATS did not answer within ${DEADLINE_MS} ms.`)), DEADLINE_MS);
    socket.write(words);
    return awaited.promise.finally(() => clearTimeout(late));
  }

  function takeAll(): void {
    for (let end = bytes.indexOf("\r\n"); end >= 0; end = bytes.indexOf("\r\n")) {
      const line = bytes.toString("utf8", 0, end);
      const [verb, ...words] = line.split(" ");
      const isMessage = verb === "MSG" || verb === "HMSG";
      const size = isMessage ? Number(words.at(-1)) + 2 : 0;
      if (bytes.length < end + 2 + size) return;
      const headers = verb === "HMSG" ? Number(words.at(-2)) : 0;
      const body = bytes.toString("utf8", end + 2 + headers, end + size);
      bytes = bytes.subarray(end + 2 + size);
      if (verb === "PING") socket.write("PONG\r\n");
      if (verb === "-ERR") awaited.reject(new Error(line));
      if (verb === "PONG" || isMessage) awaited.resolve(body);
    }
  }
}

/** Returns the bytes of a publish command. `to` is the subject. A space and the subject for the answer may follow it. */
function publication(to: string, body: string | Uint8Array, headers?: readonly string[]): Buffer {
  const content = Buffer.from(body);
  const head = Buffer.from(headers ? `NATS/1.0\r\n${headers.join("\r\n")}\r\n\r\n` : "");
  const verb = headers ? `HPUB ${to} ${head.length}` : `PUB ${to}`;
  return Buffer.concat([Buffer.from(`${verb} ${head.length + content.length}\r\n`), head, content, Buffer.from("\r\n")]);
}

function answered(text: string): ReadonlyMap<string, unknown> {
  const answer: unknown = JSON.parse(text);
  const fields = new Map(Object.entries(answer ?? {}));
  if (fields.has("error")) throw new Error(JSON.stringify(fields.get("error")));
  return fields;
}

/** Returns the number of messages in a stream. */
export async function messagesIn(client: NatsClient, stream: string): Promise<unknown> {
  const state = (await client.ask(`$JS.API.STREAM.INFO.${stream}`)).get("state");
  return new Map(Object.entries(state ?? {})).get("messages");
}
