import { type MessageBus, Unroutable } from "@toolbus/bus";
import type { Json, Message } from "@toolbus/contracts";
import { type Change, type CommitReply, type OutboxRow, type StateStore, StoreUnavailable } from "@toolbus/state";
import { currentCarrier, type Log } from "@toolbus/telemetry";
import { carrying, rowsInContext, withinRow } from "./carried-context.ts";
import { lastingTrouble } from "./lasting-trouble.ts";
import { pause } from "./pause.ts";
import { untilDue } from "./until-due.ts";

export interface OutboxOptions {
  readonly state: StateStore;
  readonly bus: Pick<MessageBus, "publish">;
  /** The service that owns the rows. */
  readonly service: string;
  /**
   * Makes the message of a row before it is published. By default the row contains the whole message. If the function returns null, the row has no
   * message to publish, and the outbox removes the row.
   */
  readonly prepare?: (row: { readonly topic: string; readonly message: Json }) => Promise<Message | null>;
  readonly log: Log;
  /** The time that the process that committed has to publish a row. After this time the relay publishes the row. */
  readonly visibilityMs: number;
  readonly pollMs: number;
}

/**
 * Commits, and then publishes the messages that the commit put into the outbox. The process that committed publishes at once, and the relay publishes
 * overdue messages. The outbox removes a row only after the broker has confirmed its message, so a crash between these two steps may repeat a message
 * but loses none.
 */
export interface Outbox {
  /**
   * Commits with up to three tries of the same `op` if the store does not answer. Publishing continues in the background.
   *
   * `repeated` are messages that a timer of the change repeats until they have had their effect. They are published once, and need no row, because the
   * timer sends them again whatever becomes of them (decision 0150).
   */
  commit(shard: string, change: Change, repeated?: readonly Message[]): Promise<CommitReply>;
  /** Stops the relay and waits for pending publishes. */
  stop(): Promise<void>;
}

const RELAY_BATCH = 64;

export function startOutbox(options: OutboxOptions): Outbox {
  const { state, bus, service, log, visibilityMs, pollMs } = options;
  const prepare = options.prepare ?? asMessage;
  const stopping = new AbortController();
  const underWay = new Set<Promise<void>>();
  const confirmed: { shard: string; id: string }[] = [];
  let settling: Promise<void> | null = null;
  const trouble = lastingTrouble(log, {
    service,
    begins: "the relay could not read the outbox and tries again",
    ends: "the relay reads the outbox again",
  });

  const due = untilDue(state, { service, kind: "outbox", pollMs, signal: stopping.signal });
  const relay = (async () => {
    while (!stopping.signal.aborted) {
      const full = await relayOnce();
      if (!full) await due.wait(1);
    }
    due.stop();
  })();

  return {
    async commit(shard, change, repeated = []) {
      const rows = change.outbox && rowsInContext(change.outbox);
      const timed: Change = rows ? { ...change, outbox: rows.map((row) => ({ ...row, dueIn: visibilityMs })) } : change;
      const reply = await commitWithRepeats(shard, timed);
      if (reply.outcome !== "ok") return reply;
      for (const { id, topic, message } of rows ?? []) inBackground(publishRow({ shard, id, topic, message }));
      for (const message of repeated) inBackground(publishOnce(carrying(message, currentCarrier())));
      return reply;
    },
    async stop() {
      stopping.abort();
      await relay;
      await Promise.all(underWay);
      await settling;
    },
  };

  async function commitWithRepeats(shard: string, change: Change): Promise<CommitReply> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await state.commit(shard, change);
      } catch (error) {
        if (!(error instanceof StoreUnavailable) || attempt === 3) throw error;
        await pause(50 * attempt, stopping.signal);
      }
    }
  }

  async function relayOnce(): Promise<boolean> {
    try {
      const rows: readonly OutboxRow[] = await state.claim(service, "outbox", {
        limit: RELAY_BATCH,
        visibleAfter: visibilityMs,
        onNext: due.onNext,
      });
      trouble.worked();
      await Promise.all(rows.map(publishRow));
      return rows.length === RELAY_BATCH;
    } catch (error) {
      trouble.failed(error);
      return false;
    }
  }

  function inBackground(publishing: Promise<void>): void {
    const done = publishing.finally(() => underWay.delete(done));
    underWay.add(done);
  }

  async function publishOnce(message: Message): Promise<void> {
    try {
      await bus.publish(message);
    } catch (error) {
      log.warn({ ...whyNot(error), id: message.id, topic: message.topic }, "a message was not confirmed and is published again later");
    }
  }

  async function publishRow(row: Pick<OutboxRow, "shard" | "id" | "topic" | "message">): Promise<void> {
    try {
      await withinRow(row.message, async () => {
        const prepared = await prepare(row);
        if (prepared === null) log.warn({ id: row.id, topic: row.topic }, "an outbox row had no message and was removed");
        else await bus.publish(prepared);
      });
    } catch (error) {
      // The row stays in the outbox, and the relay publishes it after its visibility timeout.
      log.warn({ ...whyNot(error), id: row.id, topic: row.topic }, "a message was not confirmed and is published again later");
      return;
    }
    confirmed.push({ shard: row.shard, id: row.id });
    settling ??= settleConfirmed();
    await settling;
  }

  /** Settles all confirmed rows in one call, so that a burst needs only one round trip. */
  async function settleConfirmed(): Promise<void> {
    await Promise.resolve();
    try {
      while (confirmed.length > 0) await state.settle(service, confirmed.splice(0));
    } catch (error) {
      log.warn({ error, service }, "published messages stay in the outbox and are published again");
    } finally {
      settling = null;
    }
  }
}

/**
 * Returns the fields of the log for a message that was not published. At a start, a service may publish before another one of the same process takes the
 * topic. The sentence says all then, and a stack would alarm people.
 */
function whyNot(error: unknown): object {
  return error instanceof Unroutable ? { code: error.code, why: error.message } : { error };
}

async function asMessage(row: { readonly message: Json }): Promise<Message> {
  return row.message as unknown as Message;
}
