import type { Json } from "@toolbus/contracts";
import fc from "fast-check";

/**
 * One step of a test with a store. Its numbers select from few names, so that steps affect each other. Versions and times are taken from the state at
 * the moment when the step runs.
 */
export type Step =
  | { readonly kind: "commit"; readonly change: PlannedChange }
  | { readonly kind: "repeat"; readonly back: number }
  | { readonly kind: "read"; readonly documents: readonly Place[] }
  | {
      readonly kind: "claim";
      readonly service: number;
      readonly of: "timer" | "outbox";
      readonly limit: number;
      readonly visibleAfter: number;
    }
  | { readonly kind: "settle"; readonly service: number; readonly rows: readonly Place[] }
  | { readonly kind: "range"; readonly log: Place; readonly after: number; readonly limit: number }
  | { readonly kind: "live"; readonly log: Place; readonly batch: Json }
  | { readonly kind: "recent"; readonly log: Place }
  | { readonly kind: "page"; readonly index: number; readonly limit: number; readonly order: "asc" | "desc" }
  | { readonly kind: "blob"; readonly text: string }
  | { readonly kind: "advance"; readonly ms: number };

/** A shard and a name in that shard. */
export interface Place {
  readonly shard: number;
  readonly name: number;
}

export interface PlannedChange {
  readonly shard: number;
  readonly guards: readonly { readonly name: number; readonly version: "right" | "absent" | "wrong" }[];
  readonly notAfterIn: number | null;
  readonly seen: "none" | "last" | "wrong";
  readonly put: readonly { readonly name: number; readonly value: Json; readonly expiresIn: number | null }[];
  readonly remove: readonly number[];
  readonly append: readonly { readonly name: number; readonly entries: readonly Json[]; readonly expiresIn: number | null }[];
  readonly timers: readonly { readonly service: number; readonly name: number; readonly dueIn: number | null }[];
  readonly outbox: readonly { readonly service: number; readonly name: number; readonly message: Json; readonly dueIn: number }[];
  readonly index: readonly { readonly index: number; readonly name: number; readonly score: number | null }[];
}

/** With this limit, a whole sequence takes less time than the store remembers a removed document. */
const MOST_STEPS = 30;
const LONGEST_MS = 15_000;

const few = fc.nat(2);
const shard = fc.nat(1);
const place = fc.record({ shard, name: few });
const ms = fc.oneof(fc.nat(10), fc.nat(LONGEST_MS));
const value: fc.Arbitrary<Json> = fc.oneof(
  fc.string(),
  fc.constantFrom<Json>(null, true, 0, -1.5, { a: [1, "ä\u{1f600}\n"] }, [], {}, ""),
  fc.nat().map((n) => ({ n })),
);
const expiresIn = fc.oneof({ weight: 2, arbitrary: fc.constant(null) }, fc.integer({ min: -10, max: LONGEST_MS }));
// The scores are whole numbers and fractions, and some are equal. Every store must sort them in the same way.
const score = fc.oneof(fc.integer({ min: -2, max: 2 }), fc.constantFrom(0.1, 1e-7, 1e21, -3.25));

const change: fc.Arbitrary<PlannedChange> = fc.record({
  shard,
  guards: fc.array(
    fc.record({
      name: few,
      version: fc.oneof({ weight: 8, arbitrary: fc.constant("right" as const) }, fc.constantFrom("absent", "wrong")),
    }),
    { minLength: 1, maxLength: 2 },
  ),
  notAfterIn: fc.oneof({ weight: 5, arbitrary: fc.constant(null) }, fc.integer({ min: -5, max: 5 })),
  seen: fc.oneof({ weight: 6, arbitrary: fc.constant("none" as const) }, fc.constantFrom("last", "wrong")),
  put: some(fc.record({ name: few, value, expiresIn })),
  remove: fc.oneof({ weight: 4, arbitrary: fc.constant([]) }, fc.array(few, { maxLength: 2 })),
  append: some(fc.record({ name: few, entries: fc.array(value, { maxLength: 3 }), expiresIn })),
  timers: some(fc.record({ service: shard, name: few, dueIn: fc.option(ms, { freq: 4 }) })),
  outbox: some(fc.record({ service: shard, name: few, message: value, dueIn: ms })),
  index: some(fc.record({ index: shard, name: fc.nat(5), score: fc.option(score, { freq: 4 }) })),
});

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 12, arbitrary: change.map((planned) => ({ kind: "commit" as const, change: planned })) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("repeat" as const), back: fc.nat(3) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("read" as const), documents: fc.array(place, { maxLength: 5 }) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("claim" as const),
      service: shard,
      of: fc.constantFrom("timer" as const, "outbox" as const),
      limit: fc.nat(4),
      visibleAfter: ms,
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("settle" as const), service: shard, rows: fc.array(place, { maxLength: 3 }) }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant("range" as const), log: place, after: fc.integer({ min: -1, max: 5 }), limit: few }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("live" as const), log: place, batch: value }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("recent" as const), log: place }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant("page" as const),
      index: shard,
      limit: fc.nat(3),
      order: fc.constantFrom("asc" as const, "desc" as const),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("blob" as const), text: fc.string() }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("advance" as const), ms }) },
);

/** Random sequences of steps. A failing sequence is shrunk to the shortest one that still fails. */
export const sequences = fc.array(step, { minLength: 1, maxLength: MOST_STEPS, size: "max" });

/** Returns short lists that are often empty, because a change rarely has every part. */
function some<T>(one: fc.Arbitrary<T>): fc.Arbitrary<readonly T[]> {
  return fc.oneof({ weight: 1, arbitrary: fc.constant([]) }, { weight: 2, arbitrary: fc.array(one, { maxLength: 3 }) });
}
