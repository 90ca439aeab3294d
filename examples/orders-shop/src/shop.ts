import { createServer, type IncomingMessage, type Server } from "node:http";
import { type Answer, problem, send } from "./answer.ts";
import { effectsIn, type Effects } from "./effects.ts";
import { type Respond, routes } from "./routes.ts";
import { openShopDatabase } from "./shop-database.ts";

export type { Effects } from "./effects.ts";

/** A running shop. README.md lists its routes. The shop has no users, so by default it listens only on the loopback interface. */
export interface Shop {
  /** The address of the shop, without a slash at the end. */
  readonly url: string;
  /** Reads from the database all changes that requests have made so far. */
  effects(): Effects;
  /** Accepts no more requests, gives active ones up to 5 seconds, and then releases the port and the database. Safe to call twice. */
  stop(): Promise<void>;
}

export interface ShopOptions {
  /** The address to listen on. The default is the loopback interface. */
  readonly host?: string;
  /** The port to listen on. The default is any free port. */
  readonly port?: number;
  /** The folder of the database. Null if the database is only in memory. */
  readonly directory: string | null;
  /** Whether everything that happened in this shop is removed before it starts. */
  readonly reset?: boolean;
  readonly clock: () => number;
  /**
   * Decides whether the shop loses its answer to a change that it has just made, as when a connection breaks. The demo and the tests use it. `effect`
   * is the name of the table with the new row.
   */
  readonly losesAnswerTo?: (effect: string) => boolean;
  /** Called with the reason why a request was answered with 503. */
  readonly onError?: (error: unknown) => void;
}

const BODY_DEADLINE_MS = 10_000;
const STOP_DEADLINE_MS = 5000;

/** Starts the shop. Throws if the database or the port is unavailable. */
export async function startShop({ host = "127.0.0.1", port = 0, directory, reset = false, ...options }: ShopOptions): Promise<Shop> {
  const { clock, losesAnswerTo, onError } = options;
  const database = openShopDatabase({ directory, reset });
  const respond = routes(database, clock);
  const server = createServer(
    { headersTimeout: BODY_DEADLINE_MS, requestTimeout: 2 * BODY_DEADLINE_MS, maxHeaderSize: 16 * 1024 },
    (request, response) => {
      void answerTo(request, respond, onError).then((answer) => {
        if (answer.effect !== undefined && losesAnswerTo?.(answer.effect)) return void response.destroy();
        // A connection that is kept open for the next request would delay the stop.
        if (!server.listening) response.setHeader("connection", "close");
        send(response, answer);
      });
    },
  );
  try {
    await listen(server, host, port);
  } catch (error) {
    database.close();
    throw error;
  }
  let stopped: Promise<void> | undefined;
  return {
    url: addressOf(server, host),
    effects: () => effectsIn(database),
    stop: () => (stopped ??= closeServer(server).then(() => database.close())),
  };
}

async function answerTo(request: IncomingMessage, respond: Respond, onError: ShopOptions["onError"]): Promise<Answer> {
  try {
    return await respond(request, AbortSignal.timeout(BODY_DEADLINE_MS));
  } catch (error) {
    onError?.(error);
    return problem(
      503,
      "unavailable",
      "The shop cannot read or store its records; repeat the request, with the same Idempotency-Key if it had one.",
    );
  }
}

function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => {
      server.off("error", reject);
      resolve();
    });
  });
}

function addressOf(server: Server, host: string): string {
  const address = server.address();
  const port = typeof address === "object" ? address?.port : address;
  return `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
}

async function closeServer(server: Server): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  server.close(() => resolve());
  const deadline = setTimeout(() => server.closeAllConnections(), STOP_DEADLINE_MS);
  await promise;
  clearTimeout(deadline);
}
