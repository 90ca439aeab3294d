import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { type Effect, TOOLS } from "./payments.ts";

/** The system that the writes act on. It executes every request that it receives, and records all effects. */
export interface Target {
  readonly url: string;
  /** Returns all effects so far, in order. If a tool declares that its target honours the key, a repeated key has no second effect. */
  readonly journal: () => readonly Effect[];
  /** Stops all answers until the returned function is called. Requests still take effect. A `deaf` target, however, does not receive writes. */
  pause(how?: "deaf"): () => void;
  /** Returns how many writes a deaf target missed. */
  readonly missed: () => number;
  /** Sets the limit of a payee, as somebody outside the system does. */
  setLimit(payee: string, limit: number): void;
  /** Answers no request for a limit until the returned function is called. So no worker can make a plan. */
  hideLimits(): () => void;
  stop(): Promise<void>;
}

/** The limit of a payee before anybody has set it. */
const FIRST_LIMIT = 100;

/** Starts the target on a free port. For the tools in `honoursKey`, it executes each call only once. */
export async function startTarget(honoursKey: readonly string[]): Promise<Target> {
  const journal: Effect[] = [];
  let open = Promise.resolve();
  let isDeaf = false;
  let missed = 0;
  const limits = new Map<string, number>();
  let shown = Promise.resolve();
  const server = createServer((request, response) => {
    void text(request).then(async (body) => {
      if (request.method === "GET") {
        await shown;
        return response.end(String(limits.get(request.url?.slice(1) ?? "") ?? FIRST_LIMIT));
      }
      // The body is empty if the caller only reads.
      if (body !== "" && isDeaf) missed++;
      else if (body !== "") note(JSON.parse(body) as Effect);
      await open;
      return response.end("done");
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    journal: () => journal,
    missed: () => missed,
    pause(how) {
      const { promise, resolve } = Promise.withResolvers<void>();
      open = promise;
      isDeaf = how === "deaf";
      return () => {
        isDeaf = false;
        resolve();
      };
    },
    setLimit: (payee, limit) => void limits.set(payee, limit),
    hideLimits() {
      const { promise, resolve } = Promise.withResolvers<void>();
      shown = promise;
      return resolve;
    },
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };

  function note(effect: Effect): void {
    const repeated = honoursKey.includes(effect.tool) && journal.some(({ callId }) => callId === effect.callId);
    if (repeated) return;
    journal.push(effect);
    if (effect.tool === TOOLS.planned) limits.set(effect.payee, effect.amount);
  }
}
