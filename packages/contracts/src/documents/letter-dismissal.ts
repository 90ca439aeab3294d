import { type Static, Type } from "../schema.ts";
import { ID_PATTERNS } from "../ids.ts";
import { parser } from "../parse.ts";

/**
 * An operator's note that nothing is left to do about a dead letter. It changes only what lists and doctor show. A dismissed dead letter may still be
 * replayed. The gateway writes the note to the family `replay` and keeps it as long as the dead letter.
 */
export const LetterDismissal = Type.Object(
  { letterId: Type.String({ pattern: ID_PATTERNS.deadLetter }), by: Type.String(), at: Type.Integer() },
  { additionalProperties: false },
);
export type LetterDismissal = Static<typeof LetterDismissal>;
export const parseLetterDismissal = parser(LetterDismissal);
