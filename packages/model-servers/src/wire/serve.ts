import type { IncomingMessage, ServerResponse } from "node:http";
import { setTimeout as wait } from "node:timers/promises";
import type { Brain, Delay, Fault, SeenRequest } from "../model-server.ts";
import { parsed } from "./fields.ts";
import { listen } from "./listen.ts";
import { awkwardPieces } from "./pieces.ts";
import type { Arrived, Protocol, Reply } from "./protocol.ts";
import { sendFault } from "./send-fault.ts";

/** A protocol behind a real HTTP server on loopback. */
export interface Served {
  readonly origin: string;
  readonly requests: readonly SeenRequest[];
  think(brain: Brain): void;
  failNext(...faults: readonly Fault[]): void;
  close(): Promise<void>;
}

/** Listens on a free port of loopback. A refused request leaves the queued faults for the next accepted request. */
export async function serve(protocol: Protocol, brain: Brain): Promise<Served> {
  const requests: SeenRequest[] = [];
  const faults: Fault[] = [];
  let thinks = brain;

  const { origin, close } = await listen((incoming, outgoing) => {
    // The server does not report a client that disconnects. The client's requests close with its socket.
    incoming.on("error", () => undefined);
    outgoing.on("error", () => undefined);
    void exchange(incoming, outgoing);
  });

  async function exchange(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const request = await readRequest(incoming).catch(() => null);
    if (!request) return;
    const reply = answerTo(request);
    const next = reply.kind === "plain" && reply.refusal !== undefined ? undefined : faults.shift();
    const fault = next?.kind === "slow" || next?.kind === "held" ? await released(next, outgoing) : next;
    const sent = fault?.kind === "status" ? protocol.failure(fault.status, fault.message ?? "The server was told to fail.") : reply;
    requests.push(seen(request, sent));
    if (fault) sendFault(outgoing, reply, fault, protocol);
    else if (sent.kind === "plain") sendJson(outgoing, sent.status, sent.headers, JSON.stringify(sent.body));
    else await sendStream(outgoing, sent.headers, [...sent.frames, ...sent.ending]);
  }

  function answerTo(request: Arrived): Reply {
    try {
      return protocol.answer(request, thinks);
    } catch (error) {
      // A fault of a brain or of this server must not look like the vendor's fault, because a client must not retry it.
      const message = error instanceof Error ? error.message : String(error);
      return { ...protocol.failure(400, `The test server broke: ${message}`), refusal: `broken server: ${message}` };
    }
  }

  return { origin, requests, think: (next) => void (thinks = next), failNext: (...next) => void faults.push(...next), close };
}

/** Resolves with the fault of the answer when it may be sent, or at once when the client disconnects. */
async function released(delay: Delay, outgoing: ServerResponse): Promise<Exclude<Fault, Delay> | undefined> {
  const { promise: gone, resolve: leave } = Promise.withResolvers<void>();
  const left = new AbortController();
  outgoing.once("close", () => (left.abort(), leave()));
  const due = delay.kind === "held" ? delay.until : wait(delay.afterMs, undefined, { signal: left.signal });
  await Promise.race([due, gone]).catch(() => undefined);
  return delay.kind === "held" ? delay.fault : undefined;
}

async function readRequest(incoming: IncomingMessage): Promise<Arrived> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString("utf8");
  const { pathname, searchParams } = new URL(incoming.url ?? "/", "http://localhost");
  const given = Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]);
  // HTTP/2 sends the host in the header `:authority`.
  const headers: Readonly<Record<string, string>> = { host: String(incoming.headers[":authority"]), ...Object.fromEntries(given) };
  return {
    method: incoming.method ?? "GET",
    path: decodeURIComponent(pathname),
    rawPath: pathname,
    query: searchParams,
    headers,
    text,
    body: parsed(text),
  };
}

function seen({ path, headers, body }: Arrived, reply: Reply): SeenRequest {
  return {
    path,
    headers,
    body: body ?? null,
    status: reply.kind === "plain" ? reply.status : 200,
    ...(reply.kind === "plain" && reply.refusal !== undefined ? { refusal: reply.refusal } : {}),
  };
}

function sendJson(outgoing: ServerResponse, status: number, headers: Readonly<Record<string, string>> | undefined, text: string): void {
  outgoing.writeHead(status, { "content-type": "application/json", ...headers }).end(text);
}

/** Writes each awkward piece separately, and waits until it was sent or the client has disconnected. */
async function sendStream(outgoing: ServerResponse, headers: Readonly<Record<string, string>>, frames: readonly Buffer[]): Promise<void> {
  outgoing.writeHead(200, headers);
  for (const piece of awkwardPieces(Buffer.concat(frames))) {
    if (outgoing.destroyed) return;
    await new Promise<void>((resolve) => {
      outgoing.once("close", resolve);
      outgoing.write(piece, () => {
        outgoing.off("close", resolve);
        resolve();
      });
    });
  }
  outgoing.end();
}
