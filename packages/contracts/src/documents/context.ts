import { type Static, Type } from "../schema.ts";
import { parser } from "../parse.ts";

const closed = { additionalProperties: false } as const;

/**
 * How a conversation that is too long for its model is made to fit: `truncation` leaves out the oldest entries; `sliding` has the model write a summary of
 * the entries that it leaves out; `importance` leaves out the least important entries, wherever they stand.
 */
export const CONTEXT_STRATEGIES = ["truncation", "sliding", "importance"] as const;
export type ContextStrategy = (typeof CONTEXT_STRATEGIES)[number];

/** How many entries from before the window's beginning may be kept. */
export const MAX_KEPT_ENTRIES = 256;

/** The longest summary, in characters. */
export const MAX_SUMMARY_CHARS = 16_000;

/** A model's summary of the entries that are left out. */
export const ContextSummary = Type.Object(
  {
    text: Type.String({ maxLength: MAX_SUMMARY_CHARS }),
    /** The last entry that it covers. */
    upTo: Type.Integer({ minimum: 1 }),
    provider: Type.String(),
    model: Type.String(),
  },
  closed,
);
export type ContextSummary = Static<typeof ContextSummary>;

/**
 * Which part of a conversation's transcript its model sees, once it has been too long for the first time. Numbers are sequences of the transcript's log.
 * Family `context`, written by the agent; it outlives the transcript by some weeks and is void if the log has started again.
 */
export const ContextDocument = Type.Object(
  {
    conversationId: Type.String(),
    /** Every entry from this one on belongs to the window. It never moves back. */
    from: Type.Integer({ minimum: 1 }),
    /** Distinguishes the entry at `from` from the one that a restarted log has there. */
    anchor: Type.Object({ runId: Type.String(), at: Type.Integer() }, closed),
    /** Entries before `from` that belong to it as well, in order. */
    kept: Type.Array(Type.Integer({ minimum: 1 }), { maxItems: MAX_KEPT_ENTRIES }),
    /** Replaces the entries before `from` that are not kept. */
    summary: Type.Union([ContextSummary, Type.Null()]),
    strategy: Type.Enum([...CONTEXT_STRATEGIES]),
    /** About how many tokens are left out. */
    left: Type.Object({ entries: Type.Integer(), tokens: Type.Integer() }, closed),
    /** By the store's clock. */
    writtenAt: Type.Integer(),
  },
  closed,
);
export type ContextDocument = Static<typeof ContextDocument>;
export const parseContextDocument = parser(ContextDocument);
