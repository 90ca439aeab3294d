import { type Static, Type } from "../schema.ts";
import { parser } from "../parse.ts";

const closed = { additionalProperties: false } as const;

/**
 * The ways to make a long conversation fit its model. `truncation` leaves out the oldest entries. `sliding` also lets the model summarize the entries
 * that are left out. `importance` leaves out the least important entries, wherever they are.
 */
export const CONTEXT_STRATEGIES = ["truncation", "sliding", "importance"] as const;
export type ContextStrategy = (typeof CONTEXT_STRATEGIES)[number];

/** The largest number of kept entries from before the beginning of the window. */
export const MAX_KEPT_ENTRIES = 256;

/** The longest summary, in characters. */
export const MAX_SUMMARY_CHARS = 16_000;

/** A model's summary of the entries that are left out. */
export const ContextSummary = Type.Object(
  {
    text: Type.String({ maxLength: MAX_SUMMARY_CHARS }),
    /** The last entry that the summary covers. */
    upTo: Type.Integer({ minimum: 1 }),
    provider: Type.String(),
    model: Type.String(),
  },
  closed,
);
export type ContextSummary = Static<typeof ContextSummary>;

/**
 * The part of a transcript that the model sees. The document exists once the conversation has been too long for its model. Its numbers are sequence
 * numbers of the transcript's log. The agent writes it to the family `context`. The store keeps it some weeks longer than the transcript. The
 * document is void if the log of the transcript has started again.
 */
export const ContextDocument = Type.Object(
  {
    conversationId: Type.String(),
    /** The first entry of the window. Every later entry is in the window too, and `from` never decreases. */
    from: Type.Integer({ minimum: 1 }),
    /** Distinguishes the entry at `from` from the entry at the same place in a restarted log. */
    anchor: Type.Object({ runId: Type.String(), at: Type.Integer() }, closed),
    /** The entries before `from` that are also in the window, in order. */
    kept: Type.Array(Type.Integer({ minimum: 1 }), { maxItems: MAX_KEPT_ENTRIES }),
    /** Replaces the entries before `from` that are not kept. */
    summary: Type.Union([ContextSummary, Type.Null()]),
    strategy: Type.Enum([...CONTEXT_STRATEGIES]),
    /** The number of entries that are left out, and about how many tokens they have. */
    left: Type.Object({ entries: Type.Integer(), tokens: Type.Integer() }, closed),
    /** The time when the agent wrote the document, by the store's clock. */
    writtenAt: Type.Integer(),
  },
  closed,
);
export type ContextDocument = Static<typeof ContextDocument>;
export const parseContextDocument = parser(ContextDocument);
