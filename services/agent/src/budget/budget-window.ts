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
import type { Ceilings } from "./budget-limits.ts";

/** Where one budget is kept: a document in its own shard, and next to it the reservations. */
export interface WindowPlace {
  readonly shard: string;
  readonly id: string;
  /** The last moment at which something may be reserved, by the store's clock; null for a run's budget. */
  readonly until: number | null;
  /** When the store forgets it. */
  readonly expiresAt: number;
}

/** One reservation of a budget. */
export interface Hold {
  readonly place: WindowPlace;
  /** Unique among the reservations of the same budget. */
  readonly name: string;
  readonly ceilings: Ceilings;
  readonly amounts: BudgetReservation;
  /** Of its document. */
  readonly version: number;
}

export type Taken =
  | { readonly kind: "taken"; readonly hold: Hold }
  /** It would pass a ceiling: the first that it would. */
  | { readonly kind: "full"; readonly what: keyof Ceilings; readonly used: number; readonly asked: number; readonly ceiling: number }
  /** The store's clock is past `until`: the budget is another day's by now. */
  | { readonly kind: "over"; readonly now: number };

/** The budgets as stored. */
export interface BudgetWindows {
  /** Reserves all of these amounts once, however often the same hold is asked for; or nothing at all. Rejects with `StoreUnavailable`. */
  take(hold: Omit<Hold, "version">, signal: AbortSignal): Promise<Taken>;
  /**
   * Replaces the reservation with what was used, once, and takes as many of the wanted tool calls as are left. Returns their number; null if the hold was
   * already settled, or so long ago that the store has forgotten it. Rejects with `StoreUnavailable`.
   */
  settle(hold: Hold, used: BudgetReservation): Promise<number | null>;
}

/** How many budgets are remembered with their last version, so that most calls need no read. */
const REMEMBERED = 10_000;
const TRIES = 100;
const UNUSED: BudgetReservation = { tokens: 0, microUsd: 0, toolCalls: 0 };

/**
 * Every change of a budget is one commit that is guarded by the budget as it was read and by its reservation. So a sum that would pass a ceiling is never
 * written, whoever else draws on it at the same moment, and a reservation is made and settled at most once. Changes of one budget by this process wait for
 * one another, so that only other processes can interfere.
 */
export function budgetWindows(state: StateStore): BudgetWindows {
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
      // A remembered budget that is used up may have room again: "full" is reported only after a fresh read.
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
        // The reservation comes first: once it is gone nothing else is guarded by it, so a repeat of this very change is recognised.
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
      // It is not known whether it happened: the remembered version may be wrong.
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

/** The first ceiling that the sum would pass; null for none. Amounts of zero are not judged. */
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

/** A document as it was read. */
interface Stored<T> {
  readonly version: number;
  readonly value: T;
}

/** Parses a stored document as its type. A document that breaks its schema says nothing about use, so nothing may be drawn on it. */
function stored<T>(document: StoredDocument | null | undefined, parse: (value: unknown) => Parsed<T>, key: string): Stored<T> | undefined {
  if (!document) return undefined;
  const result = parse(document.value);
  if (!result.ok) throw new Error(`The stored budget ${key} breaks its schema: ${describeProblems(result.problems)}.`);
  return { version: document.version, value: result.value };
}

function contended({ id }: WindowPlace): StoreUnavailable {
  return new StoreUnavailable(`The budget ${id} was changed by others ${TRIES} times in a row.`);
}
