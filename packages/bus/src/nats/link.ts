import { setTimeout as wait } from "node:timers/promises";
import { createInbox, errors, type NatsConnection } from "@nats-io/transport-node";
import { BusUnavailable } from "../message-bus.ts";
import { nextConnection } from "../next-connection.ts";
import { faultFields, type PipelineLog } from "../pipeline-log.ts";
import { type Dialled, dial, inboxOf } from "./dial.ts";
import type { NatsSettings } from "./nats-url.ts";
import type { NatsTimings } from "./timings.ts";

/** One connection, until it is lost. Its pending requests and subscriptions are lost with it. */
export interface Live extends Dialled {
  /** The prefix of this connection's reply subjects, which no other connection has. */
  readonly inbox: string;
  /** Aborts when the connection has ended. */
  readonly gone: AbortSignal;
}

/** A permanent connection to the servers. When the connection ends, the link opens a new one. */
export interface Link {
  /** The live connection, or null if there is none. In the current turn of the event loop, it is safe to publish and subscribe on it. */
  readonly live: Live | null;
  /** The reason why there is no connection, in a few words without an address. It is null while there is a connection. */
  readonly missing: string | null;
  /** Returns the live connection. Throws `BusUnavailable` if there is none. */
  require(): Live;
  /** Resolves with the live connection, or else with the next one. Rejects with `BusUnavailable` if the signal aborts first or the link is closed. */
  next(signal: AbortSignal): Promise<Live>;
  /** Calls `part` with the live connection and with each later one. The callers that wait for a connection receive it after the parts. */
  attach(part: LinkPart): void;
  /** Sends the data that is already written, closes the connection and opens no other. A second call is safe. */
  close(): Promise<void>;
}

export interface LinkPart {
  begin(live: Live): void;
  /** Receives the subject of a message that the server refused. */
  refused?(subject: string): void;
}

export interface LinkOptions {
  readonly settings: NatsSettings;
  readonly timings: NatsTimings;
  /** How long to retry the first connection, in milliseconds. */
  readonly connectForMs: number;
  readonly log: PipelineLog;
  /** Returns a random number from 0 up to 1, which spreads the attempts of many processes. */
  readonly random: () => number;
}

/** Opens a link. Rejects with `BusUnavailable`, at once if a server refuses, and after `connectForMs` if none answers. */
export async function openLink(options: LinkOptions): Promise<Link> {
  const { settings, timings, log, random } = options;
  const ending = new AbortController();
  const parts: LinkPart[] = [];
  const next = nextConnection<Live>(() => (ending.signal.aborted ? CLOSED : LOST));
  let live: Live | null = null;
  let missing = DOWN;
  let closing: Promise<void> | null = null;
  adopt(await firstDial());

  return {
    get live() {
      return open();
    },
    get missing() {
      return open() ? null : missing;
    },
    require() {
      const now = open();
      if (!now) throw new BusUnavailable(ending.signal.aborted ? CLOSED : LOST);
      return now;
    },
    next(signal) {
      const now = open();
      return now ? Promise.resolve(now) : next.wait(AbortSignal.any([signal, ending.signal]));
    },
    attach(part) {
      parts.push(part);
      const now = open();
      if (now) part.begin(now);
    },
    close: () => (closing ??= close()),
  };

  /** Returns the live connection unless it is closed. A closed connection may not have reported its end yet, and would throw. */
  function open(): Live | null {
    return live?.nc.isClosed() === false ? live : null;
  }

  async function firstDial(): Promise<Dialled> {
    const end = performance.now() + options.connectForMs;
    let reason = "No server has answered yet.";
    const patience = setTimeout(() => log.error({ servers: settings.servers, reason }, UNREACHABLE), PATIENCE_MS);
    try {
      for (;;) {
        const outcome = await dial(settings, timings);
        if (outcome.kind === "open") return outcome.dialled;
        if (outcome.kind === "refused" || performance.now() >= end) throw new BusUnavailable(outcome.reason);
        ({ reason } = outcome);
        await pause();
      }
    } finally {
      clearTimeout(patience);
    }
  }

  function adopt({ nc, jsm }: Dialled): void {
    if (nc.isClosed()) return void redial();
    const over = new AbortController();
    const adopted: Live = { nc, jsm, inbox: createInbox(inboxOf(settings)), gone: over.signal };
    live = adopted;
    void watch(nc, () => lose(adopted, over));
    for (const part of parts) part.begin(adopted);
    next.tell(adopted);
  }

  function lose(lost: Live, over: AbortController): void {
    if (live !== lost) return;
    live = null;
    missing = DOWN;
    over.abort(new BusUnavailable(LOST));
    if (ending.signal.aborted) return;
    log.warn({ servers: settings.servers }, "the connection to NATS was lost; it is restored");
    void redial();
  }

  async function redial(): Promise<void> {
    let reported = "";
    while (!ending.signal.aborted) {
      await pause();
      const outcome = await dial(settings, timings);
      if (outcome.kind === "open" && ending.signal.aborted) return void outcome.dialled.nc.close();
      if (outcome.kind === "open") {
        adopt(outcome.dialled);
        return log.warn({ server: outcome.dialled.nc.getServer() }, "the connection to NATS is back");
      }
      missing = outcome.kind === "absent" && outcome.what === "jetstream" ? NO_JETSTREAM : DOWN;
      if (outcome.reason !== reported) log.error({ reason: outcome.reason }, UNREACHABLE);
      reported = outcome.reason;
    }
  }

  async function pause(): Promise<void> {
    await wait(timings.redialMs * (1 + random()), undefined, { signal: ending.signal }).catch(() => undefined);
  }

  /** Calls `isOver` when the connection ends, and closes a stale connection. */
  async function watch(nc: NatsConnection, isOver: () => void): Promise<void> {
    void nc.closed().then(isOver);
    for await (const status of nc.status()) {
      if (status.type === "disconnect") isOver();
      // Without this close, the client would wait for ever to send its data over a connection that no longer accepts data.
      if (status.type === "staleConnection") void nc.close();
      if (status.type === "error") complain(status.error);
    }
  }

  function complain(error: Error): void {
    if (!(error instanceof errors.PermissionViolationError)) return log.error(faultFields(error), "NATS reports an error");
    const { operation, subject } = error;
    log.error({ operation, subject }, "NATS refuses this login a subject");
    if (operation === "publish") for (const part of parts) part.refused?.(subject);
  }

  async function close(): Promise<void> {
    ending.abort();
    const last = live;
    if (!last) return;
    // NATS never confirms answers to deliveries, so this waits only briefly for the server to receive them. A server that does not reply has lost
    // them anyway.
    await Promise.race([last.nc.flush(), wait(FLUSH_MS, undefined, { ref: false })]).catch(() => undefined);
    await last.nc.close();
  }
}

const FLUSH_MS = 1000;
/**
 * How long the first connection may take before the log says what the process waits for. A server that starts at the same time as this process may
 * need a moment.
 */
const PATIENCE_MS = 2000;
const UNREACHABLE = "NATS cannot be reached; it is retried";
const CLOSED = "The bus is closed.";
const DOWN = "the connection to NATS is down";
const NO_JETSTREAM = "JetStream does not answer";
const LOST = "The connection to NATS is down; it is restored as soon as a server answers.";
