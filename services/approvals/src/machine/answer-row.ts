import type { Json } from "@toolbus/contracts";

/**
 * What the outbox keeps of an answer: which one, about which approval, under which number. It contains no secrets: the relay makes the message, and signs
 * the grant, from the stored approval, so a repeat has the same bytes. `withdrawn`: approved, but its definition is no longer the pinned one.
 */
export interface AnswerRow {
  readonly approvalId: string;
  /** Part of the message id: each deliberate repeat has a new one. */
  readonly n: number;
  /** The store's time of the commit that made the row. */
  readonly at: number;
  readonly answer: AnswerKind;
  /** For `withdrawn`: what changed, in words for the model. */
  readonly reason?: string;
}

const ANSWERS = ["held", "decided", "lapsed", "withdrawn"] as const;
export type AnswerKind = (typeof ANSWERS)[number];

export function storedRow({ approvalId, n, at, answer, reason }: AnswerRow): Json {
  return { approvalId, n, at, answer, ...(reason === undefined ? {} : { reason }) };
}

/** Parses a row that `storedRow` wrote. Throws on anything else: only this service writes its outbox. */
export function parseRow(stored: Json): AnswerRow {
  const { approvalId, n, at, answer, reason } = stored as Record<string, Json | undefined>;
  const kind = ANSWERS.find((known) => known === answer);
  if (typeof approvalId !== "string" || typeof n !== "number" || typeof at !== "number" || !kind)
    throw new Error("An outbox row is not one of ours.");
  return { approvalId, n, at, answer: kind, ...(typeof reason === "string" ? { reason } : {}) };
}
