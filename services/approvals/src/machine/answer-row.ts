import type { Json } from "@toolbus/contracts";

/**
 * The row of an answer in the outbox: the kind of the answer, its approval and its number. The row contains no secrets. The relay makes the message
 * and signs the grant from the stored approval, so a repeat has the same bytes. The kind is `withdrawn` if the write was approved but its definition
 * is no longer the pinned one. It is `plan` for the question that asks the worker what the write will change.
 */
export interface AnswerRow {
  readonly approvalId: string;
  /** A part of the message id. Each deliberate repeat has a new number. */
  readonly n: number;
  /** The store's time of the commit that made the row. */
  readonly at: number;
  readonly answer: AnswerKind;
  /** What changed, in words for the model. Only a `withdrawn` answer has it. */
  readonly reason?: string;
}

const ANSWERS = ["held", "decided", "lapsed", "withdrawn", "plan"] as const;
export type AnswerKind = (typeof ANSWERS)[number];

export function storedRow({ approvalId, n, at, answer, reason }: AnswerRow): Json {
  return { approvalId, n, at, answer, ...(reason === undefined ? {} : { reason }) };
}

/** Parses a row that `storedRow` wrote. Throws on anything else, because only this service writes its outbox. */
export function parseRow(stored: Json): AnswerRow {
  const { approvalId, n, at, answer, reason } = stored as Record<string, Json | undefined>;
  const kind = ANSWERS.find((known) => known === answer);
  if (typeof approvalId !== "string" || typeof n !== "number" || typeof at !== "number" || !kind)
    throw new Error("An outbox row is not one of ours.");
  return { approvalId, n, at, answer: kind, ...(typeof reason === "string" ? { reason } : {}) };
}
