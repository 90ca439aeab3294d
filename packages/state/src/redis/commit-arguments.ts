import { hash } from "node:crypto";
import { REMEMBERED_MS } from "../expiry.ts";
import type { PreparedChange } from "../prepared-change.ts";
import type { Seen } from "../state-store.ts";
import { FEED_LENGTH, type RedisKeys } from "./redis-keys.ts";

/** The values that a commit sends besides the change itself. */
export interface CommitContext {
  /** A time that replaces the server's, or "+N" for the server's time plus N milliseconds. "" means the server's time. */
  readonly clock: string;
  /** Every deadline before this time has passed, whatever the server's clock says. */
  readonly floor?: number | undefined;
  /** Eight characters that no other commit has. */
  readonly mark: string;
  /** The commit of the shard that this process last saw. */
  readonly seen: Seen | undefined;
}

const NONE = "-";
const ROOM_FOR_COMMITS = " ".repeat(32);
// Our marks always have this form. The word "-", which means an absent mark, does not match it.
const MARK = /^[\w-]{8}$/;
const NO_OP = "-".repeat(40);

export interface CommitArguments {
  readonly keys: readonly string[];
  readonly args: readonly string[];
}

/**
 * Returns a change in the form that `commit.lua` reads. The numbers and the words without a blank are in one line, as JavaScript writes them, with
 * "-" for absent ones. The texts follow. The words and the texts are in the order in which the script reads them.
 */
export function commitArguments(layout: RedisKeys, shard: string, change: PreparedChange, context: CommitContext): CommitArguments {
  const { op, first, guards, notAfter, put, remove, append, timers, outbox, index } = change;
  const { clock, floor, mark, seen } = context;
  const timersByService = grouped(timers, ({ service }) => service);
  const outboxByService = grouped(outbox, ({ service }) => service);
  const membersByIndex = grouped(index, (entry) => entry.index);
  const opHash = hash("sha1", op);
  const keys = [layout.commits(shard), layout.marks(shard), layout.feed(shard), layout.document(first.key)];
  const texts: string[] = [];
  const words: (string | number)[] = [clock === "" ? NONE : clock, opHash, mark, Number.isFinite(notAfter) ? held(notAfter, floor) : NONE];
  words.push(
    seen?.commit ?? NONE,
    seen && MARK.test(seen.mark) ? seen.mark : NONE,
    FEED_LENGTH,
    REMEMBERED_MS,
    first.version,
    guards.length - 1,
  );
  for (const guard of guards.slice(1)) {
    texts.push(layout.document(guard.key));
    words.push(guard.version);
  }
  words.push(put.length, remove.length, append.length, timersByService.size, outboxByService.size, membersByIndex.size);
  for (const { key, text, expiresAt } of put) {
    keys.push(layout.document(key));
    texts.push(headOf(expiresAt, key === first.key ? opHash : NO_OP) + text);
    words.push(expiresAt ?? NONE);
  }
  for (const key of remove) keys.push(layout.document(key));
  for (const { log, texts: entries, expiresAt } of append) {
    keys.push(layout.log(log));
    texts.push(log, ...entries);
    words.push(expiresAt ?? NONE, entries.length);
  }
  for (const [service, rows] of timersByService) {
    keys.push(layout.timers(service, shard));
    words.push(rows.length);
    for (const { id, dueIn } of rows) {
      texts.push(id);
      words.push(dueIn ?? NONE);
    }
  }
  for (const [service, rows] of outboxByService) {
    keys.push(layout.outbox(service, shard), layout.outboxRows(service, shard));
    words.push(rows.length);
    for (const { id, topic, text, dueIn } of rows) {
      // A line feed separates the text from the topic, because JSON text contains no line feed.
      texts.push(id, `${text}\n${topic}`);
      words.push(dueIn);
    }
  }
  for (const [name, members] of membersByIndex) {
    keys.push(layout.index(name, shard));
    words.push(members.length);
    for (const { member, score } of members) {
      texts.push(member);
      words.push(score ?? NONE);
    }
  }
  return { keys, args: [words.join(" "), ...texts] };
}

/** Groups rows. Most changes have none of a kind. */
function grouped<T>(rows: readonly T[], nameOf: (row: T) => string): ReadonlyMap<string, readonly T[]> {
  return rows.length === 0 ? NO_ROWS : Map.groupBy(rows, nameOf);
}

const NO_ROWS: ReadonlyMap<string, never[]> = new Map();

/** Returns the deadline. If it has passed according to `floor`, returns 0, which has passed by any clock. */
function held(notAfter: number, floor: number | undefined): number {
  return floor !== undefined && notAfter < floor ? 0 : notAfter;
}

/** Returns the head of a document (see `RedisKeys.document`). The script writes the commit into the blank part. */
function headOf(expiresAt: number | null, opHash: string): string {
  return ROOM_FOR_COMMITS + (expiresAt === null ? "" : String(expiresAt)).padEnd(26) + opHash;
}
