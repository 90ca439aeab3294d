import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A gate in the test's process. Other processes ask it before they continue. */
export interface Gate {
  readonly url: string;
  /** Makes every caller wait from now on. Returns the text of the first caller. */
  hold(): Promise<string>;
  /** Releases all waiting callers and lets later ones pass. */
  open(): void;
  stop(): Promise<void>;
}

export async function startGate(): Promise<Gate> {
  let held: { readonly waiting: ServerResponse[]; readonly first: PromiseWithResolvers<string> } | null = null;
  const server = createServer((request, response) => {
    const body: Buffer[] = [];
    request.on("data", (bytes: Buffer) => body.push(bytes));
    request.on("end", () => {
      if (!held) return response.end("go");
      held.waiting.push(response);
      held.first.resolve(Buffer.concat(body).toString());
      return undefined;
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const gate: Gate = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    hold() {
      held = { waiting: [], first: Promise.withResolvers<string>() };
      return held.first.promise;
    },
    open() {
      for (const response of held?.waiting ?? []) response.end("go");
      held = null;
    },
    async stop() {
      gate.open();
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
  return gate;
}
