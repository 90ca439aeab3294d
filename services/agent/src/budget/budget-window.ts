import {
  type BudgetReservation,
  type BudgetWindow,
  describeProblems,
  keys,
  type Parsed,
  parseBudgetReservation,
  parseBudgetWindow,
} from "@toolbus/contracts";
import { commitRepeatedly, type StateStore, type StoredDocument, StoreUnavailable } from "@toolbus/state";
import type { Ceilings, Whose } from "./budget-limits.ts";

/** The place of one budget. The budget is a document, and its reservations are documents in the same shard. */
export interface WindowPlace {
  readonly shard: string;
  readonly id: string;
  /** Whose budget it is. */
  readonly whose: Whose;
  /** The last moment for a reservation, by the store's clock. Null for a run's budget. */
  readonly until: number | null;
  /** The time at which the store deletes the budget. */
  readonly expiresAt: number;
}

/** One reservation from a budget. */
export interface Hold {
  readonly place: WindowPlace;
  /** The name is unique among the reservations of one budget. */
  readonly name: string;
  readonly ceilings: Ceilings;
  readonly amounts: BudgetReservation;
  /** The version of the reservation's document. */
  readonly version: number;
}

export type Taken =
  | { readonly kind: "taken"; readonly hold: Hold }
  /** The reservation would exceed a ceiling. `what` names the first ceiling that it would exceed. */
  | { readonly kind: "full"; readonly what: keyof Ceilings; readonly used: number; readonly asked: number; readonly ceiling: number }
  /** The store's clock is past `until`, so the budget of a new day applies. */
  | { readonly kind: "over"; readonly now: number };

/** The budgets in the store. */
export interface BudgetWindows {
  /** Reserves all of these amounts or nothing. A repeated call for the same reservation reserves nothing more. Rejects with `StoreUnavailable`. */
  take(hold: Omit<Hold, "version">, signal: AbortSignal): Promise<Taken>;
  /**
   * Replaces the reservation with the actual use, once, and allows as many of the tool calls as the budget has left. Returns the number of allowed
   * calls. Returns null if the reservation was already settled, or is so old that the store has deleted it. Rejects with `StoreUnavailable`.
   */
  settle(hold: Hold, used: BudgetReservation): Promise<number | null>;
}

/** The number of budgets that this process remembers with their last version, so that most calls need no read. */
const REMEMBERED = 10_000;
const TRIES = 100;
const UNUSED: BudgetReservation = { tokens: 0, microUsd: 0, toolCalls: 0 };

/**
 * Returns the budgets of this store. Each change of a budget is one commit, guarded by the versions of the budget and of the reservation. So a sum
 * above a ceiling is never written, even if other processes reserve at the same moment, and a reservation is made and settled at most once. Within
 * this process, changes of one budget run one after another, so only other processes can interfere. `onSettled` receives the new use of a budget
 * after each settlement.
 */
export function budgetWindows(
  state: StateStore,
  onSettled: (hold: Hold, window: BudgetReservation) => void = () => undefined,
): BudgetWindows {
  const known = new Map<string, Stored<BudgetWindow>>();
  const lanes = new Map<string, Promise<unknown>>();
  return {
    take: (hold, signal) => inLane(hold, () => take(hold, signal)),
    settle: (hold, used) => inLane(hold, () => settle(hold, used)),
  };

  async function take(hold: Omit<Hold, "version">, signal: AbortSignal): Promise<Taken> {
    const { place, amounts, ceilings, name } = hold;
    const key = keysOf(hold);
    for (let tries = 1; tries <= TRIES; tries++) {
      signal.throwIfAborted();
      const remembered = known.get(key.window);
      // The remembered budget may be out of date, and the budget may have room again. So "full" is reported only after a fresh read.
      const fresh = remembered && !passed(remembered.value, amounts, ceilings) ? null : await read(hold);
      if (fresh?.reservation) return { kind: "taken", hold: { ...hold, version: fresh.reservation.version } };
      if (fresh && place.until !== null && fresh.now > place.until) return { kind: "over", now: fresh.now };
      const before = fresh ? fresh.window : remembered;
      const full = passed(before?.value ?? UNUSED, amounts, ceilings);
      if (full) return { kind: "full", ...full };
      const value: BudgetWindow = { ...sum(before?.value ?? UNUSED, amounts), ceilings: { ...ceilings } };
      const version = before?.version ?? 0;
      const reply = await commitRepeatedly(state, place.shard, {
        op: `budget:${name}:${version}`,
        guards: [
          { key: key.reservation, version: 0 },
          { key: key.window, version },
        ],
        ...(place.until === null ? {} : { notAfter: place.until }),
        put: [
          { key: key.reservation, value: amounts, expiresAt: place.expiresAt },
          { key: key.window, value, expiresAt: place.expiresAt },
        ],
      });
      known.delete(key.window);
      if (reply.outcome === "late") return { kind: "over", now: reply.now };
      if (reply.outcome !== "ok") continue;
      remember(key.window, { version: reply.commit, value });
      return { kind: "taken", hold: { ...hold, version: reply.commit } };
    }
    throw contended(place);
  }

  async function settle(hold: Hold, used: BudgetReservation): Promise<number | null> {
    const { place, amounts, ceilings, name } = hold;
    const key = keysOf(hold);
    let { version } = hold;
    for (let tries = 1; tries <= TRIES; tries++) {
      let before = known.get(key.window);
      if (!before) {
        const fresh = await read(hold);
        if (!fresh.reservation) return null;
        version = fresh.reservation.version;
        before = fresh.window ?? { version: 0, value: { ...UNUSED, ceilings: { ...ceilings } } };
      }
      const left =
        ceilings.toolCalls === null ? used.toolCalls : Math.max(0, ceilings.toolCalls - before.value.toolCalls + amounts.toolCalls);
      const calls = Math.min(used.toolCalls, left);
      const value: BudgetWindow = {
        tokens: Math.max(0, before.value.tokens - amounts.tokens + used.tokens),
        microUsd: Math.max(0, before.value.microUsd - amounts.microUsd + used.microUsd),
        toolCalls: Math.max(0, before.value.toolCalls - amounts.toolCalls + calls),
        ceilings: { ...ceilings },
      };
      const reply = await commitRepeatedly(state, place.shard, {
        // The store remembers the op of a change at its first guard, so that it recognises a repeat. The first guard is the reservation, because no
        // other change guards a reservation that was removed.
        op: `settle:${name}:${before.version}`,
        guards: [
          { key: key.reservation, version },
          { key: key.window, version: before.version },
        ],
        put: [{ key: key.window, value, expiresAt: place.expiresAt }],
        remove: [key.reservation],
      });
      known.delete(key.window);
      if (reply.outcome !== "ok") continue;
      remember(key.window, { version: reply.commit, value });
      onSettled(hold, value);
      return calls;
    }
    throw contended(place);
  }

  async function read(hold: Pick<Hold, "place" | "name">) {
    const key = keysOf(hold);
    const { now, documents } = await state.read([key.window, key.reservation]);
    return {
      now,
      window: stored(documents[0], parseBudgetWindow, key.window),
      reservation: stored(documents[1], parseBudgetReservation, key.reservation),
    };
  }

  function remember(key: string, value: Stored<BudgetWindow>): void {
    known.set(key, value);
    for (const oldest of known.keys()) {
      if (known.size <= REMEMBERED) break;
      known.delete(oldest);
    }
  }

  async function inLane<T>({ place }: Pick<Hold, "place">, work: () => Promise<T>): Promise<T> {
    const key = keys.budget(place.shard, place.id);
    const mine = (lanes.get(key) ?? Promise.resolve()).then(work, work);
    lanes.set(key, mine);
    try {
      return await mine;
    } catch (error) {
      // The change may or may not have happened, so the remembered version may be wrong.
      known.delete(key);
      throw error;
    } finally {
      if (lanes.get(key) === mine) lanes.delete(key);
    }
  }
}

function keysOf({ place, name }: Pick<Hold, "place" | "name">): { readonly window: string; readonly reservation: string } {
  return { window: keys.budget(place.shard, place.id), reservation: keys.budget(place.shard, `${place.id}:${name}`) };
}

/** Returns the first ceiling that the sum would exceed, else null. Skips amounts of zero. */
function passed(used: BudgetReservation, asked: BudgetReservation, ceilings: Ceilings) {
  for (const what of ["tokens", "microUsd", "toolCalls"] as const) {
    const ceiling = ceilings[what];
    if (ceiling !== null && asked[what] > 0 && used[what] + asked[what] > ceiling)
      return { what, used: used[what], asked: asked[what], ceiling };
  }
  return null;
}

function sum(a: BudgetReservation, b: BudgetReservation): BudgetReservation {
  return { tokens: a.tokens + b.tokens, microUsd: a.microUsd + b.microUsd, toolCalls: a.toolCalls + b.toolCalls };
}

/** A stored document with its version, parsed as its type. */
interface Stored<T> {
  readonly version: number;
  readonly value: T;
}

/**
 * Parses a stored document as its type. Throws if the document breaks its schema. Nothing may be reserved then, because the use of the budget is
 * unknown.
 */
function stored<T>(document: StoredDocument | null | undefined, parse: (value: unknown) => Parsed<T>, key: string): Stored<T> | undefined {
  if (!document) return undefined;
  const result = parse(document.value);
  if (!result.ok) throw new Error(`The stored budget ${key} breaks its schema: ${describeProblems(result.problems)}.`);
  return { version: document.version, value: result.value };
}

function contended({ id }: WindowPlace): StoreUnavailable {
  return new StoreUnavailable(`The budget ${id} was changed by others ${TRIES} times in a row.`);
}
