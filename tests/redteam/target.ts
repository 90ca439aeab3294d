import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import type { Effect } from "./payments.ts";

/** The system that the writes act on. It does everything that it receives, and forgets nothing. */
export interface Target {
  readonly url: string;
  /** All effects so far, in order. A repeated key has no second effect if the tool says that its target honours it. */
  readonly journal: () => readonly Effect[];
  /** From now on it answers nobody, until the returned function is called. Requests still take effect, unless it is `deaf`: then it never receives them. */
  pause(how?: "deaf"): () => void;
  /** How often it was called while it was deaf. */
  readonly missed: () => number;
  stop(): Promise<void>;
}

/** Starts it on a free port. `honoursKey`: the tools whose target does a call once. */
export async function startTarget(honoursKey: readonly string[]): Promise<Target> {
  const journal: Effect[] = [];
  let open = Promise.resolve();
  let isDeaf = false;
  let missed = 0;
  const server = createServer((request, response) => {
    void text(request).then(async (body) => {
      // A caller that only reads sends nothing.
      if (body !== "" && isDeaf) missed++;
      else if (body !== "") note(JSON.parse(body) as Effect);
      await open;
      response.end("done");
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
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };

  function note(effect: Effect): void {
    const repeated = honoursKey.includes(effect.tool) && journal.some(({ callId }) => callId === effect.callId);
    if (!repeated) journal.push(effect);
  }
}
