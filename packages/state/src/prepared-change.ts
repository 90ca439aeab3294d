import type { Json } from "@toolbus/contracts";
import type { ShardKeys } from "./shard-keys.ts";
import { type Change, type Guard, MAX_VALUE_BYTES, type Seen } from "./state-store.ts";

/** A change that `prepareChange` has checked. Its values are JSON text of a permitted size, and omitted fields have their defaults. */
export interface PreparedChange {
  readonly op: string;
  /** The guard whose document remembers the op. */
  readonly first: Guard;
  readonly guards: readonly Guard[];
  readonly seen: Seen | undefined;
  /** Infinity if the change has no deadline. */
  readonly notAfter: number;
  readonly put: readonly { readonly key: string; readonly text: string; readonly expiresAt: number | null }[];
  readonly remove: readonly string[];
  readonly append: readonly { readonly log: string; readonly texts: readonly string[]; readonly expiresAt: number | null }[];
  readonly timers: NonNullable<Change["timers"]>;
  readonly outbox: readonly {
    readonly service: string;
    readonly id: string;
    readonly topic: string;
    readonly text: string;
    readonly dueIn: number;
  }[];
  readonly index: NonNullable<Change["index"]>;
}

/**
 * Checks a change before anything is written, in the same way for every adapter. Throws TypeError for a malformed change. Throws RangeError for
 * another shard's key or a value that is too large.
 */
export function prepareChange(keys: ShardKeys, shard: string, change: Change): PreparedChange {
  keys.check(shard);
  const first = change.guards[0];
  if (!first) throw new TypeError(`Change "${change.op}" has no guard: it needs at least one.`);
  if (change.op === "") throw new TypeError("A change needs an op that names it.");
  const { put = [], remove = [], append = [], timers = [], outbox = [], index = [] } = change;
  for (const guard of change.guards) {
    keys.checkIn(shard, guard.key);
    if (!Number.isInteger(guard.version) || guard.version < 0)
      throw new TypeError(`Guard "${guard.key}" has no version: ${guard.version}.`);
  }
  if (change.seen && (!Number.isInteger(change.seen.commit) || change.seen.commit < 1)) {
    throw new TypeError(`Change "${change.op}" has seen no commit: ${change.seen.commit}.`);
  }
  for (const key of [...put.map((entry) => entry.key), ...remove, ...append.map((entry) => entry.log)]) keys.checkIn(shard, key);
  once("document", [...put.map((entry) => entry.key), ...remove]);
  for (const entry of timers) if (entry.dueIn !== null) finite(`timer "${entry.id}"`, entry.dueIn);
  for (const entry of outbox) finite(`message "${entry.id}"`, entry.dueIn);
  for (const entry of index) if (entry.score !== null) finite(`index member "${entry.member}"`, entry.score);
  if (first.version === 0 && !put.some((entry) => entry.key === first.key) && put.length + append.length + outbox.length > 0) {
    throw new TypeError(
      `Change "${change.op}" would do its work twice when repeated: its first guard "${first.key}" is an absent document that it does not put.`,
    );
  }
  return {
    op: change.op,
    first,
    guards: change.guards,
    seen: change.seen,
    notAfter: change.notAfter ?? Number.POSITIVE_INFINITY,
    put: put.map((entry) => ({ key: entry.key, text: jsonText(entry.key, entry.value), expiresAt: expiryOf(entry.key, entry.expiresAt) })),
    remove,
    append: append
      .filter((entry) => entry.entries.length > 0)
      .map((entry) => ({
        log: entry.log,
        texts: entry.entries.map((value) => jsonText(entry.log, value)),
        expiresAt: expiryOf(entry.log, entry.expiresAt),
      })),
    timers,
    outbox: outbox.map(({ service, id, topic, message, dueIn }) => ({ service, id, topic, text: jsonText(id, message), dueIn })),
    index,
  };
}

/** Returns the JSON text of a value. Throws TypeError for a value that JSON cannot express, and RangeError above `MAX_VALUE_BYTES`. */
export function jsonText(name: string, value: Json): string {
  const text: string | undefined = JSON.stringify(value);
  if (text === undefined) throw new TypeError(`The value of "${name}" is not JSON.`);
  // No UTF-16 code unit takes more than three bytes of UTF-8, so a short text need not be counted.
  if (text.length * 3 <= MAX_VALUE_BYTES) return text;
  const bytes = Buffer.byteLength(text);
  if (bytes > MAX_VALUE_BYTES) {
    throw new RangeError(
      `The value of "${name}" has ${bytes} bytes, the most is ${MAX_VALUE_BYTES}: store it as a blob and refer to that.`,
    );
  }
  return text;
}

function expiryOf(name: string, expiresAt: number | undefined): number | null {
  if (expiresAt === undefined) return null;
  finite(`expiry of "${name}"`, expiresAt);
  return expiresAt;
}

function finite(name: string, value: number): void {
  if (!Number.isFinite(value)) throw new TypeError(`The number of ${name} is ${value}.`);
}

function once(what: string, names: readonly string[]): void {
  if (new Set(names).size !== names.length)
    throw new TypeError(`A change names the same ${what} twice: ${names.join(", ").slice(0, 200)}.`);
}
