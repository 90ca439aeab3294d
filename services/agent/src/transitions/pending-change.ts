import { type Json, keys, type Message, type RunEvent, type StoredEntry } from "@toolbus/contracts";
import type { Change } from "@toolbus/state";
import { redacted } from "@toolbus/telemetry";
import { AGENT_SERVICE } from "./rules.ts";

type Row = NonNullable<Change["outbox"]>[number];
type Timer = NonNullable<Change["timers"]>[number];

/** How long the store keeps logs, ended calls and conversations without a run, in milliseconds. */
export const LOG_KEPT_MS = 30 * 86_400_000;

/** One commit while it is being made. Nothing outside changes before `build`. */
export class PendingChange {
  readonly #guards = new Map<string, Change["guards"][number]>();
  readonly #puts = new Map<string, NonNullable<Change["put"]>[number]>();
  /** The events by run, because a commit may also add events of the run that starts next. */
  readonly #events = new Map<string, RunEvent[]>();
  readonly #transcript: StoredEntry[] = [];
  readonly #timers = new Map<string, Timer>();
  readonly #rows: Row[] = [];

  /**
   * Adds a guard. The store refuses the commit unless the document still has this version. The store remembers the op of the change at the first
   * guard.
   */
  guard(key: string, version: number): void {
    this.#guards.set(key, { key, version });
  }

  put(key: string, value: object, expiresAt?: number): void {
    this.#puts.set(key, expiresAt === undefined ? { key, value: value as Json } : { key, value: value as Json, expiresAt });
  }

  /** Adds events for viewers of the run. Secrets are redacted. */
  say(runId: string, events: readonly RunEvent[]): void {
    this.#events.set(runId, [...(this.#events.get(runId) ?? []), ...redacted(events)]);
  }

  transcript(entries: readonly StoredEntry[]): void {
    this.#transcript.push(...entries);
  }

  /** Sets a timer. If `dueIn` is null, removes the timer. */
  timer(id: string, dueIn: number | null): void {
    this.#timers.set(id, { service: AGENT_SERVICE, id, dueIn });
  }

  /**
   * Returns the milliseconds after which this change makes the timer due. Returns null if the change removes the timer, and undefined if it does not
   * touch it.
   */
  dueIn(id: string): number | null | undefined {
    return this.#timers.get(id)?.dueIn;
  }

  send(message: Message): void {
    this.#rows.push({ service: AGENT_SERVICE, id: message.id, topic: message.topic, message: message as unknown as Json, dueIn: 0 });
  }

  /** Adds a message that is made only when somebody reads it, because most wakes are left out of the change again (`withoutWake`). */
  sendLater(id: string, topic: string, make: () => Message): void {
    let made: Message | undefined;
    this.#rows.push({
      service: AGENT_SERVICE,
      id,
      topic,
      get message() {
        made ??= make();
        return made as unknown as Json;
      },
      dueIn: 0,
    });
  }

  build(op: string, conversationId: string, logsExpireAt: number): Change {
    return {
      op,
      guards: [...this.#guards.values()],
      put: [...this.#puts.values()],
      append: [
        { log: keys.transcript(conversationId), entries: this.#transcript as unknown as Json[], expiresAt: logsExpireAt },
        ...[...this.#events].map(([id, events]) => ({
          log: keys.events(id),
          entries: events as unknown as Json[],
          expiresAt: logsExpireAt,
        })),
      ].filter(({ entries }) => entries.length > 0),
      timers: [...this.#timers.values()],
      outbox: this.#rows,
    };
  }
}
