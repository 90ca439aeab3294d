import type { ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { RunEvent } from "@toolbus/contracts";
import Fastify from "fastify";

/** The gateway's two routes on bare Fastify. The server keeps posted data in a variable, and sends the text of each event to every open stream. */
export interface BareServer {
  readonly url: string;
  /** The address of the server's one stream. */
  readonly events: string;
  say(events: readonly RunEvent[]): void;
  stop(): Promise<void>;
}

/** Starts the server. Every stream begins with `firstWords`. */
export async function bareServer(firstWords: readonly RunEvent[] = []): Promise<BareServer> {
  const app = Fastify({ forceCloseConnections: true });
  const streams = new Set<ServerResponse>();
  const posted: unknown[] = [];
  let sequence = 0;
  const blockOf = (event: RunEvent): string => {
    sequence++;
    return `id: run:${sequence}\nevent: ${event.type}\ndata: ${JSON.stringify({ sequence, ...event })}\n\n`;
  };
  app.post("/v1/investigations", { schema: { body: BODY } }, async (request, reply) => {
    posted[0] = request.body;
    return reply.code(202).send({ runId: "run", status: "accepted" });
  });
  app.get("/v1/runs/run/events", (_request, reply) => {
    reply.hijack();
    reply.raw.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
    reply.raw.write("retry: 500\n\n");
    for (const event of firstWords) reply.raw.write(blockOf(event));
    streams.add(reply.raw);
    reply.raw.once("close", () => streams.delete(reply.raw));
  });
  await app.listen({ host: "127.0.0.1", port: 0 });
  const url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
  return {
    url,
    events: `${url}/v1/runs/run/events`,
    say(events) {
      for (const event of events) {
        const block = blockOf(event);
        for (const stream of streams) stream.write(block);
      }
    },
    stop: () => app.close(),
  };
}

const BODY = {
  type: "object",
  properties: { releaseId: { type: "string", minLength: 1, maxLength: 200 } },
  required: ["releaseId"],
  additionalProperties: false,
} as const;
