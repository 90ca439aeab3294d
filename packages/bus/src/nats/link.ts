import { setTimeout as wait } from "node:timers/promises";
import { createInbox, errors, type NatsConnection } from "@nats-io/transport-node";
import { BusUnavailable } from "../message-bus.ts";
import { nextConnection } from "../next-connection.ts";
import { faultFields, type PipelineLog } from "../pipeline-log.ts";
import { type Dialled, dial, inboxOf } from "./dial.ts";
import type { NatsSettings } from "./nats-url.ts";
import type { NatsTimings } from "./timings.ts";

/** One connection, as long as it lasts. Its pending requests and subscriptions are lost with it. */
export interface Live extends Dialled {
  /** The prefix of this connection's reply subjects; no other connection has the same. */
  readonly inbox: string;
  /** Aborts when the connection is over. */
  readonly gone: AbortSignal;
}

/** Connected to the servers for ever: a connection that ends is replaced by another one. */
export interface Link {
  /** Null while there is none. For the rest of this turn, the connection can be published to and subscribed on. */
  readonly live: Live | null;
  /** Why there is none, in a few words without any address; null while there is one. */
  readonly missing: string | null;
  /** The same, or throws `BusUnavailable`. */
  require(): Live;
  /** The live connection, or else the next one. Rejects with `BusUnavailable` if the signal aborts first, or the link is closed. */
  next(signal: AbortSignal): Promise<Live>;
  /** Calls `part` with the live connection and with each later one, before the callers that wait for it. */
  attach(part: LinkPart): void;
  /** Sends what is written, ends the connection and opens no other. Safe to call twice. */
  close(): Promise<void>;
}

export interface LinkPart {
  begin(live: Live): void;
  /** The server refused something on a subject that was published to. */
  refused?(subject: string): void;
}

export interface LinkOptions {
  readonly settings: NatsSettings;
  readonly timings: NatsTimings;
  /** How long to retry the first connection, in milliseconds. */
  readonly connectForMs: number;
  readonly log: PipelineLog;
  /** From 0 up to 1; spreads the tries of many processes. */
  readonly random: () => number;
}

/** Connects. Rejects with `BusUnavailable`: at once if a server refuses, after `connectForMs` if none answers. */
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

  /** A connection that has closed may not have said so yet, and would throw. */
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

  /** Reports the end of a connection, and makes sure that a stale one ends. */
  async function watch(nc: NatsConnection, isOver: () => void): Promise<void> {
    void nc.closed().then(isOver);
    for await (const status of nc.status()) {
      if (status.type === "disconnect") isOver();
      // Otherwise the client first sends what it has written, into a connection that accepts nothing any more, and waits for ever.
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
    // Answers to deliveries are never confirmed; a server that does not reply has lost them anyway.
    await Promise.race([last.nc.flush(), wait(FLUSH_MS, undefined, { ref: false })]).catch(() => undefined);
    await last.nc.close();
  }
}

const FLUSH_MS = 1000;
/** A server that starts together with us may take a moment; after this time a person who watches wants to know what the process waits for. */
const PATIENCE_MS = 2000;
const UNREACHABLE = "NATS cannot be reached; it is retried";
const CLOSED = "The bus is closed.";
const DOWN = "the connection to NATS is down";
const NO_JETSTREAM = "JetStream does not answer";
const LOST = "The connection to NATS is down; it is restored as soon as a server answers.";
