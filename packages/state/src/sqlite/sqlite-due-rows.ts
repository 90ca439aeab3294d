import type { PreparedChange } from "../prepared-change.ts";
import type { ClaimOptions, OutboxRow, TimerRow } from "../state-store.ts";
import { jsonOf, LIMIT, numberOf, type Row, textOf } from "./columns.ts";
import type { Connection } from "./connection.ts";

/** The timers and the outbox of a SQLite store. */
export interface SqliteDueRows {
  /** Writes the timers and messages of a change, inside its transaction. */
  apply(shard: string, change: PreparedChange, now: number): void;
  claimTimers(service: string, now: number, options: ClaimOptions): Promise<readonly TimerRow[]>;
  claimOutbox(service: string, now: number, options: ClaimOptions): Promise<readonly OutboxRow[]>;
  settle(service: string, rows: readonly { readonly shard: string; readonly id: string }[]): Promise<void>;
  /** Makes everything due at once. A start uses it when it knows that no other process works on the rows. */
  makeAllDue(now: number): Promise<void>;
}

export function sqliteDueRows(connection: Connection): SqliteDueRows {
  const { prepare } = connection;
  const upsertTimer = prepare(`
    INSERT INTO timers (service, shard, id, due) VALUES (?, ?, ?, ?)
    ON CONFLICT (service, shard, id) DO UPDATE SET due = excluded.due`);
  const deleteTimer = prepare("DELETE FROM timers WHERE service = ? AND shard = ? AND id = ?");
  const upsertMessage = prepare(`
    INSERT INTO outbox (service, shard, id, due, topic, message) VALUES (?, ?, ?, ?, ?, ?)
    ON CONFLICT (service, shard, id) DO UPDATE SET due = excluded.due, topic = excluded.topic, message = excluded.message`);
  const deleteMessage = prepare("DELETE FROM outbox WHERE service = ? AND shard = ? AND id = ?");
  const dueTimers = prepare(`SELECT shard, id, due FROM timers WHERE service = ? AND due <= ? ORDER BY due ${LIMIT}`);
  const dueMessages = prepare(`SELECT shard, id, due, topic, message FROM outbox WHERE service = ? AND due <= ? ORDER BY due ${LIMIT}`);
  const nextTimer = prepare("SELECT MIN(due) AS due FROM timers WHERE service = ?");
  const nextMessage = prepare("SELECT MIN(due) AS due FROM outbox WHERE service = ?");
  const rearmTimer = prepare("UPDATE timers SET due = ? WHERE service = ? AND shard = ? AND id = ?");
  const rearmMessage = prepare("UPDATE outbox SET due = ? WHERE service = ? AND shard = ? AND id = ?");
  const hurryTimers = prepare("UPDATE timers SET due = ?1 WHERE due > ?1");
  const hurryMessages = prepare("UPDATE outbox SET due = ?1 WHERE due > ?1");

  return {
    apply(shard, { timers, outbox }, now) {
      for (const { service, id, dueIn } of timers) {
        if (dueIn === null) deleteTimer.run(service, shard, id);
        else upsertTimer.run(service, shard, id, now + dueIn);
      }
      for (const { service, id, topic, text, dueIn } of outbox) upsertMessage.run(service, shard, id, now + dueIn, topic, text);
    },
    async claimTimers(service, now, options) {
      return (await claim({ due: dueTimers, next: nextTimer, rearm: rearmTimer }, service, now, options)).map(timerOf);
    },
    async claimOutbox(service, now, options) {
      const rows = await claim({ due: dueMessages, next: nextMessage, rearm: rearmMessage }, service, now, options);
      return rows.map((row) => ({ ...timerOf(row), topic: textOf(row, "topic"), message: jsonOf(row, "message") }));
    },
    async settle(service, rows) {
      if (rows.length === 0) return;
      // A crash may undo this deletion. The relay then publishes the messages again, as if the crash had happened before this step.
      connection.soon(() => {
        for (const { shard, id } of rows) deleteMessage.run(service, shard, id);
      });
    },
    async makeAllDue(now) {
      await connection.write(() => {
        hurryTimers.run(now);
        hurryMessages.run(now);
      });
    },
  };

  async function claim(
    { due, next, rearm }: { readonly due: Statement; readonly next: Statement; readonly rearm: Statement },
    service: string,
    now: number,
    { limit, visibleAfter, onNext }: ClaimOptions,
  ): Promise<readonly Row[]> {
    // Most polls find nothing, and such a poll must not take the write lock.
    if ((await connection.look(() => due.get(service, now, 1))) === undefined) {
      if (onNext) onNext(untilDue(await connection.look(() => next.get(service)), now));
      return [];
    }
    return connection.write(() => {
      const rows = due.all(service, now, limit);
      for (const row of rows) rearm.run(now + visibleAfter, service, textOf(row, "shard"), textOf(row, "id"));
      return rows;
    });
  }
}

function untilDue(row: Row | undefined, now: number): number {
  return typeof row?.["due"] === "number" ? Math.max(0, row["due"] - now) : Number.POSITIVE_INFINITY;
}

type Statement = ReturnType<Connection["prepare"]>;

function timerOf(row: Row): TimerRow {
  return { shard: textOf(row, "shard"), id: textOf(row, "id"), due: numberOf(row, "due") };
}
