import { takeLine, type Taken, type Wire } from "./wire.ts";
import type { ServerAddress } from "./server-url.ts";

/** Sends a request on one subject and returns the body of the answer. Send only one request at a time. */
export interface NatsRequests {
  (subject: string, body: string): Promise<string>;
}

/** Logs in if the address has a login, and returns the server's version. Refuses a server without JetStream, because no test can use it. */
export async function greetNats(wire: Wire, { user, password }: ServerAddress): Promise<string> {
  const greeting = await wire.read(takeLine);
  if (!greeting.startsWith("INFO ")) throw new Error("it does not speak NATS' protocol");
  const info = fieldsOf(greeting.slice("INFO ".length));
  const login = password === "" ? { ...(user !== "" && { auth_token: user }) } : { user, pass: password };
  wire.write(`CONNECT ${JSON.stringify({ verbose: false, pedantic: false, lang: "node", version: "1", ...login })}\r\nPING\r\n`);
  for (;;) {
    const line = await wire.read(takeLine);
    if (line.startsWith("-ERR")) throw new Error(`it refused the login: ${line.slice("-ERR ".length)}`);
    if (line === "PONG") break;
  }
  if (info.get("jetstream") !== true) throw new Error("it runs without JetStream; start it with -js");
  return String(info.get("version"));
}

/** Makes requests over a wire. Use it after the greeting. */
export function natsRequests(wire: Wire): NatsRequests {
  const inbox = "_INBOX.toolbus-tests";
  wire.write(`SUB ${inbox} 1\r\n`);
  return async (subject, body) => {
    wire.write(`PUB ${subject} ${inbox} ${Buffer.byteLength(body)}\r\n${body}\r\n`);
    for (;;) {
      const message = await wire.read(takeMessage);
      if (message.body !== null) return message.body;
      if (message.line === "PING") wire.write("PONG\r\n");
      if (message.line.startsWith("-ERR")) throw new Error(message.line.slice("-ERR ".length));
    }
  };
}

/** Takes a message with its body, or any other line. */
export function takeMessage(bytes: Buffer): Taken<{ readonly line: string; readonly body: string | null }> {
  const line = takeLine(bytes);
  if (!line) return null;
  if (!line.value.startsWith("MSG ")) return { value: { line: line.value, body: null }, used: line.used };
  const end = line.used + Number(line.value.split(" ").at(-1));
  return bytes.length < end + 2 ? null : { value: { line: line.value, body: bytes.toString("utf8", line.used, end) }, used: end + 2 };
}

/** Returns the fields of a JSON object. */
export function fieldsOf(json: string): ReadonlyMap<string, unknown> {
  const value: unknown = JSON.parse(json);
  return new Map(typeof value === "object" && value !== null ? Object.entries(value) : []);
}
