import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A point at which a process asks the benchmark before it continues: the side that asks, and the name of the run's work. */
export interface GatePlace {
  readonly side: "worker" | "agent";
  readonly work: string;
}

/** The body of a request to the gate. */
export interface GateQuestion extends GatePlace {
  readonly pid: number;
}

/** The first process that reaches a place, and waits there. */
export interface HeldPlace {
  /** Resolves with the process id when a process waits at the place. */
  readonly reached: Promise<number>;
  /** Lets the process continue. */
  open(): void;
}

/** A gate at which the benchmark holds work, so that it can kill the process that does this work in exactly this moment. */
export interface Gate {
  readonly url: string;
  /** Holds the first process that reaches this place. The gate lets every other process and every later one pass at once. */
  hold(place: GatePlace): HeldPlace;
  stop(): Promise<void>;
}

export async function startGate(): Promise<Gate> {
  const expected = new Map<string, (pid: number, response: ServerResponse) => void>();
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (bytes: Buffer) => parts.push(bytes));
    request.on("end", () => {
      const asked = JSON.parse(Buffer.concat(parts).toString()) as GateQuestion;
      const held = expected.get(keyOf(asked));
      expected.delete(keyOf(asked));
      if (held) held(asked.pid, response);
      else response.end();
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    hold(place) {
      const reached = Promise.withResolvers<number>();
      const opened = Promise.withResolvers<void>();
      expected.set(keyOf(place), (pid, response) => {
        reached.resolve(pid);
        void opened.promise.then(() => response.end());
      });
      return { reached: reached.promise, open: opened.resolve };
    },
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

function keyOf({ side, work }: GatePlace): string {
  return `${side} ${work}`;
}
