import { keys, type LiveEvent, type RunEvent } from "@toolbus/contracts";
import { pause, wholeEvents } from "@toolbus/runtime";
import type { StateStore } from "@toolbus/state";
import type { Log } from "@toolbus/telemetry";
import { eventId } from "./event-id.ts";
import { type GenuineLive, genuineLive } from "./genuine-live.ts";
import { sseBytes } from "./sse-writer.ts";

/** The callbacks of a subscriber of one run: a hint to read the log again, and a live event. */
export interface FeedListener {
  readonly onAppend: () => void;
  /** All listeners receive the same object. */
  readonly onLive: (event: LiveEvent) => void;
}

/**
 * The feed of a process. It follows the store once and reads each log once, however many clients watch. While nobody watches, it follows nothing, because
 * the store would send it every append of every run.
 */
export interface Feed {
  /** Notifies the listener about this run until the listener leaves. A listener must not throw, because other listeners are called after it. */
  listen(runId: string, listener: FeedListener): Listening;
  stop(): Promise<void>;
}

export interface Listening {
  /**
   * Returns the run's events after this sequence number. They include every event of which this listener was notified before the call. Listeners that
   * ask for the same events at the same time get the same page. That page is read and serialised once. The transcript of the run's conversation has
   * the results of its calls. Rejects if the store is unavailable.
   */
  read(conversationId: string, after: number): Promise<Page>;
  leave(): void;
}

export interface Page {
  readonly events: readonly WrittenEvent[];
  /** Whether the log may have more events after this page. */
  readonly more: boolean;
}

/** A durable event, and its bytes on the wire. */
export interface WrittenEvent {
  readonly sequence: number;
  readonly event: RunEvent;
  readonly bytes: Buffer;
}

// A page stays in memory until the slowest client has read it, so its size is limited. A page may exceed PAGE_BYTES by the size of one read.
const READ = 16;
const PAGE_BYTES = 65_536;

/** A run that somebody watches. */
interface Watched {
  readonly listeners: Set<FeedListener>;
  /**
   * The reads in progress, by the sequence after which they read. Each append starts a new map, because an earlier read may not have seen the append.
   */
  reads: Map<number, Promise<Page>>;
  readonly live: GenuineLive;
}

interface Following {
  readonly stopping: AbortController;
  readonly done: Promise<void>;
  timer: NodeJS.Timeout | undefined;
}

/** How long the feed still follows the store when nobody watches any more, in milliseconds. */
const KEPT_FOLLOWING_MS = 60_000;

interface ReadRun {
  readonly runId: string;
  readonly conversationId: string;
}

export function startFeed(state: StateStore, log: Log): Feed {
  const watched = new Map<string, Watched>();
  const byLog = new Map<string, Watched>();
  let stopped = false;
  let following: Following | null = null;

  return {
    listen(runId, listener) {
      // The store is asked before the listener can read, so the listener is notified of every append that its first read does not see.
      if (!stopped) begin();
      const run = watch(runId);
      run.listeners.add(listener);
      return {
        read: (conversationId, after) => shared({ runId, conversationId }, run, after),
        leave() {
          run.listeners.delete(listener);
          if (run.listeners.size === 0) forget(runId, run);
        },
      };
    },
    async stop() {
      stopped = true;
      await end();
    },
  };

  function begin(): void {
    clearTimeout(following?.timer);
    if (following) return;
    const stopping = new AbortController();
    following = { stopping, done: follow(stopping.signal), timer: undefined };
  }

  /** Stops following after a while without listeners. A client that reconnects, or the next one, needs no new connection to the store until then. */
  function endLater(): void {
    if (!following) return;
    clearTimeout(following.timer);
    following.timer = setTimeout(() => void end(), KEPT_FOLLOWING_MS).unref();
  }

  async function end(): Promise<void> {
    if (!following) return;
    const { stopping, done, timer } = following;
    following = null;
    clearTimeout(timer);
    stopping.abort();
    await done;
  }

  async function follow(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        for await (const item of state.follow({ signal })) {
          if (item.kind === "gap") everyoneLooks();
          else if (item.kind === "append") notifyOfAppend(byLog.get(item.log));
          else byLog.get(item.log)?.live.heard(item.batch);
        }
      } catch (error) {
        log.warn({ error }, "the feed of the state store broke off and is opened again");
      }
      if (signal.aborted) return;
      await pause(250, signal);
      // While the feed was closed, notifications were missed, so every listener reads again.
      everyoneLooks();
    }
  }

  function everyoneLooks(): void {
    for (const run of watched.values()) notifyOfAppend(run);
  }

  function watch(runId: string): Watched {
    const known = watched.get(runId);
    if (known) return known;
    const listeners = new Set<FeedListener>();
    const tell = (event: LiveEvent): void => listeners.forEach((listener) => listener.onLive(event));
    const run: Watched = { listeners, reads: new Map(), live: genuineLive({ runId, state, tell, log }) };
    watched.set(runId, run);
    for (const name of logsOf(runId)) byLog.set(name, run);
    return run;
  }

  function forget(runId: string, run: Watched): void {
    // A listener may have left twice, and others may have subscribed in between.
    if (watched.get(runId) !== run) return;
    watched.delete(runId);
    for (const name of logsOf(runId)) byLog.delete(name);
    if (watched.size === 0) endLater();
  }

  function shared(run: ReadRun, { reads }: Watched, after: number): Promise<Page> {
    const underWay = reads.get(after);
    if (underWay) return underWay;
    const reading = read(run, after);
    reads.set(after, reading);
    const done = (): void => void reads.delete(after);
    reading.then(done, done);
    return reading;
  }

  async function read({ runId, conversationId }: ReadRun, after: number): Promise<Page> {
    const events: WrittenEvent[] = [];
    let bytes = 0;
    for (;;) {
      const entries = await state.range(keys.events(runId), { after: events.at(-1)?.sequence ?? after, limit: READ });
      const whole = await wholeEvents(state, conversationId, entries);
      for (const [n, event] of whole.entries()) {
        const written = writtenEvent(runId, entries[n]?.sequence ?? 0, event);
        events.push(written);
        bytes += written.bytes.length;
      }
      if (entries.length < READ) return { events, more: false };
      if (bytes >= PAGE_BYTES) return { events, more: true };
    }
  }
}

function logsOf(runId: string): readonly string[] {
  return [keys.events(runId), keys.live(runId)];
}

function notifyOfAppend(run: Watched | undefined): void {
  if (!run) return;
  run.reads = new Map();
  for (const listener of run.listeners) listener.onAppend();
}

function writtenEvent(runId: string, sequence: number, event: RunEvent): WrittenEvent {
  const bytes = sseBytes({ id: eventId(runId, sequence), name: event.type, data: JSON.stringify({ sequence, ...event }) });
  return { sequence, event, bytes };
}
