import type { ServerUrls } from "./benchmark.ts";
import { peerModule } from "./peer-module.ts";
import { hostOf, SERVERS } from "./server-urls.ts";

const PATIENCE_MS = 5000;

/** Returns one sentence, without the login, that says why this server cannot be used for measuring. Returns null if the server can be used. */
export async function whyAbsent(kind: keyof ServerUrls, url: string): Promise<string | null> {
  try {
    await greet[kind](url);
    return null;
  } catch (error) {
    return `${SERVERS[kind].name} does not answer at ${hostOf(url)} (${reasonOf(error)}).`;
  }
}

/** Returns a sentence that says what to do if none of these servers is available. */
export function remedyFor(kinds: readonly (keyof ServerUrls)[]): string {
  return `Start one, or name another with ${kinds.map((kind) => `--${kind}`).join(" or ")}.`;
}

const greet: Readonly<Record<keyof ServerUrls, (url: string) => Promise<void>>> = {
  async rabbitmq(url) {
    const { connect } = await import("amqplib");
    const connection = await connect(url, { timeout: PATIENCE_MS });
    await connection.close();
  },
  async nats(url) {
    const { dialNats } = await import("./tool-call/dial-nats.ts");
    const connection = await dialNats(url, { timeout: PATIENCE_MS, reconnect: false });
    await connection.close();
  },
  async redis(url) {
    const { Redis } = await import("ioredis");
    const connection = new Redis(url, { lazyConnect: true, connectTimeout: PATIENCE_MS, retryStrategy: null });
    let problem: Error | null = null;
    connection.on("error", (error: Error) => (problem = error));
    try {
      await connection.connect();
    } catch (error) {
      // ioredis' own error says no more than that there is no connection.
      throw problem ?? error;
    } finally {
      connection.disconnect();
    }
  },
  // None of our packages has a client for PostgreSQL. The libraries that need a client bring one.
  async postgres(url) {
    const { greet: greetPostgres } = await peerModule<{ greet(url: string, patienceMs: number): Promise<void> }>("postgres");
    await greetPostgres(url, PATIENCE_MS);
  },
};

/** Returns the error's code, or else the first line of the client's message, which contains no login. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return "no reason is given";
  const { code, cause } = error as { readonly code?: unknown; readonly cause?: unknown };
  if (typeof code === "string") return code;
  if (cause instanceof Error) return reasonOf(cause);
  return /^[^\n"]{0,120}/.exec(error.message.replace(/ with message .*$/s, ""))?.[0].replace(/[.:]? *$/, "") ?? "";
}
