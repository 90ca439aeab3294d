import { type Static, Type } from "../schema.ts";
import { parser } from "../parse.ts";

const closed = { additionalProperties: false } as const;

/**
 * How a conversation that has become too long for its model is made to fit: `truncation` leaves out the oldest; `sliding` has the model write a
 * summary of what it leaves out; `importance` leaves out what matters least, wherever it stands.
 */
export const CONTEXT_STRATEGIES = ["truncation", "sliding", "importance"] as const;
export type ContextStrategy = (typeof CONTEXT_STRATEGIES)[number];

/** How many entries before the window's beginning may be kept. */
export const MAX_KEPT_ENTRIES = 256;

/** The longest summary, in characters. */
export const MAX_SUMMARY_CHARS = 16_000;

/** What a model wrote of the entries that are left out. */
export const ContextSummary = Type.Object(
  {
    text: Type.String({ maxLength: MAX_SUMMARY_CHARS }),
    /** The last entry that it stands for. */
    upTo: Type.Integer({ minimum: 1 }),
    provider: Type.String(),
    model: Type.String(),
  },
  closed,
);
export type ContextSummary = Static<typeof ContextSummary>;

/**
 * Which part of a conversation's transcript its model is shown, from the first time on that it was too long. Numbers are sequences of the transcript's
 * log. Family `context`, written by the agent; it outlives the transcript by some weeks and is void when the log has begun anew.
 */
export const ContextDocument = Type.Object(
  {
    conversationId: Type.String(),
    /** Everything from this entry on belongs to the window. It never moves back. */
    from: Type.Integer({ minimum: 1 }),
    /** Tells the entry at `from` from one that a log begun anew has there. */
    anchor: Type.Object({ runId: Type.String(), at: Type.Integer() }, closed),
    /** Entries before `from` that belong to it as well, in order. */
    kept: Type.Array(Type.Integer({ minimum: 1 }), { maxItems: MAX_KEPT_ENTRIES }),
    /** Stands for the entries before `from` that are not kept. */
    summary: Type.Union([ContextSummary, Type.Null()]),
    strategy: Type.Enum([...CONTEXT_STRATEGIES]),
    /** What is left out, about so many tokens of it. */
    left: Type.Object({ entries: Type.Integer(), tokens: Type.Integer() }, closed),
    /** By the store's clock. */
    writtenAt: Type.Integer(),
  },
  closed,
);
export type ContextDocument = Static<typeof ContextDocument>;
export const parseContextDocument = parser(ContextDocument);
