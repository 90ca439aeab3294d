import { type ChannelModel, connect } from "amqplib";
import { BusUnavailable } from "../message-bus.ts";
import { nextConnection } from "../next-connection.ts";
import type { PipelineLog } from "../pipeline-log.ts";
import type { AmqpSettings } from "./amqp-url.ts";
import { backoffMs } from "./backoff.ts";
import { gatheredWrites } from "./gathered-writes.ts";
import { refusalOf, requireFitServer } from "./refusal.ts";
import { settled } from "./settled.ts";

/** One connection, until it is lost. */
export interface Session {
  readonly model: ChannelModel;
  /** Aborts when the connection is lost, together with all its channels, consumers and unconfirmed messages. */
  readonly gone: AbortSignal;
  /** Gathers the writes to the socket. The publishers and the acknowledger call this function after each frame of the hot path. */
  readonly gatherWrites: () => void;
}

/** A permanent connection. When the connection is lost, the link opens a new one, and all attached parts begin again on it. */
export interface Link {
  /** Resolves with the live connection, or else with the next one. Rejects with `BusUnavailable` if the signal aborts first or the link is closed. */
  session(signal: AbortSignal): Promise<Session>;
  /**
   * Calls `part` on each connection after `since`. A connection is up when all parts have resolved on it. A part must not reject. Returns a function
   * that detaches the part.
   */
  attach(part: LinkPart, since: Session): () => void;
  /** True while RabbitMQ accepts no messages from this connection, because it is short of memory or disk. */
  readonly blocked: boolean;
  /** False from the loss of a connection until all parts have begun on the next one, or have failed to begin. */
  readonly up: boolean;
  /** Closes the connection within `CLOSE_MS`, whatever its state. A second call is safe. */
  close(): Promise<void>;
}

export type LinkPart = (session: Session) => Promise<void>;

export interface LinkOptions {
  readonly settings: AmqpSettings;
  /** The purpose of the connection, which RabbitMQ's own lists and the log show. */
  readonly purpose: "publishing" | "consuming";
  /** How long to retry the first connection, in milliseconds. */
  readonly connectForMs: number;
  readonly log: PipelineLog;
  /** Returns a random number from 0 up to 1. */
  readonly random: () => number;
}

/**
 * Opens a link. Rejects with `BusUnavailable` and one sentence, at once if the server refuses, and after `connectForMs` if no server answers. After
 * the first connection the link never gives up.
 *
 * amqplib's recovery restores only the connection, so the parts begin again in its `setup`.
 */
export async function openLink({ settings, purpose, connectForMs, log, random }: LinkOptions): Promise<Link> {
  const giveUpAt = performance.now() + connectForMs;
  const ending = new AbortController();
  /** When this controller aborts, the sockets are destroyed. */
  const cutting = new AbortController();
  const parts = new Set<LinkPart>();
  const next = nextConnection<Session>(() => (ending.signal.aborted ? CLOSED : LOST));
  /** The newest connection. Its parts may not have begun yet. */
  let newest: Session | null = null;
  let up: Session | null = null;
  let wasUp = false;
  let blocked = false;
  let lastFault: unknown;
  let reported = "";
  let closing: Promise<void> | null = null;

  const recovering = await connect(addressOf(settings), {
    ...socketOptions(purpose, cutting.signal),
    recovery: { waitForConnect: false, setup, calculateDelay },
  });
  // Without a listener, an "error" event would end the process.
  recovering.on("error", () => undefined);
  recovering.on("handler-error", (error: unknown) => (lastFault = error));
  recovering.on("connect-failed", (error) => {
    lastFault = error;
    const { reason, final } = refusalOf(error, settings);
    // Does not log a final refusal of the first connection. Such a refusal is not retried, and the caller receives the error.
    if (wasUp || !final) logOnce(reason);
  });
  try {
    await recovering.waitForConnect();
  } catch {
    await close();
    throw new BusUnavailable(refusalOf(lastFault, settings).reason);
  }

  return {
    session: (signal) => (up ? Promise.resolve(up) : next.wait(AbortSignal.any([signal, ending.signal]))),
    attach(part, since) {
      parts.add(part);
      if (newest && newest !== since) void part(newest);
      return () => void parts.delete(part);
    },
    get blocked() {
      return blocked;
    },
    get up() {
      return up !== null;
    },
    close: () => (closing ??= close()),
  };

  async function setup(model: ChannelModel): Promise<void> {
    const over = new AbortController();
    const session: Session = { model, gone: over.signal, gatherWrites: gatheredWrites(model) };
    // amqplib binds its own listeners only after setup. Until then an "error" event would end the process, and a "close" event would be missed.
    model.on("error", (error) => (lastFault = error));
    model.on("handler-error", (error) => (lastFault = error));
    model.on("close", (error) => {
      over.abort(new BusUnavailable(LOST));
      lose(session, error);
    });
    model.on("blocked", () => setBlocked(true));
    model.on("unblocked", () => setBlocked(false));
    requireFitServer(model.connection.serverProperties);
    newest = session;
    await Promise.all([...parts].map((part) => part(session)));
    session.gone.throwIfAborted();
    up = session;
    if (wasUp) log.warn({ purpose, host: settings.host }, "the connection to RabbitMQ is back");
    wasUp = true;
    reported = "";
    next.tell(session);
  }

  function lose(session: Session, error: Error | undefined): void {
    blocked = false;
    if (up !== session) return;
    up = null;
    if (!ending.signal.aborted)
      log.warn({ purpose, host: settings.host, code: codeOf(error) }, "the connection to RabbitMQ was lost; it is restored");
  }

  function setBlocked(now: boolean): void {
    blocked = now;
    log.warn(
      { purpose, host: settings.host },
      now ? "RabbitMQ is short of memory or disk and accepts no messages for now" : "RabbitMQ accepts messages again",
    );
  }

  /** Returns the delay before the next attempt. If this function throws, amqplib gives up. It throws only before the first connection. */
  function calculateDelay(attempt: number): number {
    const delay = backoffMs(attempt, random);
    if (wasUp) return delay;
    const left = giveUpAt - performance.now();
    if (left <= 0 || refusalOf(lastFault, settings).final) throw new BusUnavailable("given up");
    return Math.min(delay, left);
  }

  /** Logs a reason unless it equals the last logged reason. Otherwise the same line every five seconds would hide all other lines. */
  function logOnce(reason: string): void {
    if (reason !== reported) log.error({ purpose, reason }, "RabbitMQ cannot be reached; it is retried");
    reported = reason;
  }

  async function close(): Promise<void> {
    ending.abort();
    // A half-open connection never answers the close, so we destroy its socket. We do not destroy the socket of a connection that is still being
    // opened, because nothing listens for its errors yet and the process would crash. amqplib ends such a connection within DIAL_MS.
    if (!(await settled(recovering.close(), CLOSE_MS))) cutting.abort();
  }
}

export const CLOSED = "The bus is closed.";
export const LOST = "The connection to RabbitMQ is down; it is restored as soon as the server answers.";

const CLOSE_MS = 2000;
const DIAL_MS = 5000;

function addressOf({ protocol, host, port, user, password, vhost, heartbeat }: AmqpSettings) {
  // amqplib decodes the virtual host again, so this function encodes it.
  return { protocol, hostname: host, port, username: user, password, vhost: encodeURIComponent(vhost), heartbeat };
}

function socketOptions(purpose: string, signal: AbortSignal) {
  return {
    // Without this option every message of more than 2 KB waits 40 ms for the broker's delayed TCP ack.
    noDelay: true,
    keepAlive: true,
    timeout: DIAL_MS,
    clientProperties: { connection_name: `toolbus ${purpose}` },
    // amqplib passes the signal to the socket, and offers no other way to destroy the socket.
    signal,
  };
}

function codeOf(error: Error | undefined): string {
  return error && "code" in error && (typeof error.code === "string" || typeof error.code === "number") ? String(error.code) : "none";
}
