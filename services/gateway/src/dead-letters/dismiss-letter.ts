import { type Json, keys, type LetterDismissal, shardOf } from "@toolbus/contracts";
import type { Principal } from "@toolbus/runtime";
import { type Inbound, newRequestId, TRIES } from "../inbound/inbound.ts";
import { refused, type Refused } from "../refused.ts";
import { findLetter, type FoundLetter } from "./find-letter.ts";

/**
 * Records that an operator has nothing left to do about a dead letter. A dead letter has only one such note, whoever asks and however often. It sends
 * nothing, and the dead letter can still be replayed.
 */
export async function dismissLetter(
  inbound: Inbound,
  { principal, letterId }: { readonly principal: Principal; readonly letterId: string },
): Promise<FoundLetter | Refused> {
  const { state, outbox } = inbound;
  const requestId = newRequestId(inbound);
  for (let attempt = 0; attempt < TRIES; attempt++) {
    const found = await findLetter(state, letterId, principal);
    if (found.kind === "refused") return found;
    const { letter, request, dismissal, now } = found;
    if (letter.replayed || request)
      return refused("conflict", "Somebody has asked for its replay, so it is not open.", "Read the dead letter to see who did and when.");
    if (dismissal) return found;
    const made: LetterDismissal = { letterId, by: principal.id, at: now };
    const key = keys.letterDismissal(letterId);
    const { outcome } = await outbox.commit(shardOf(letterId), {
      op: `dismiss:${letterId}:${requestId}`,
      guards: [
        { key, version: 0 },
        { key: keys.replayRequest(letterId), version: 0 },
      ],
      put: [{ key, value: made as unknown as Json, expiresAt: letter.expiresAt }],
    });
    if (outcome === "ok") return { ...found, dismissal: made };
  }
  return refused("conflict", "The request could not be stored.", "Repeat it.");
}
