import { type Call, type Json, keys, type KeptLetter, parseCall, type ReplayRequest, type SeenCall, shardOf } from "@toolbus/contracts";
import type { StateStore } from "@toolbus/state";
import { type Inbound, newRequestId, type Request, TRIES } from "../inbound/inbound.ts";
import { keyHashOf } from "../inbound/request-hash.ts";
import { refused, type Refused } from "../refused.ts";
import { isShardOf } from "../own-shard.ts";
import { findLetter, type FoundLetter } from "./find-letter.ts";
import { announcedReplay } from "./replay-timer.ts";

export interface ReplayAccepted {
  readonly kind: "accepted";
  readonly found: FoundLetter;
  /** True if the dead letter was already replayed. Then nothing is left to do. */
  readonly over: boolean;
  /** Whether an earlier request with the same key was accepted. */
  readonly replayed: boolean;
}

/** Accepts an operator's request to replay a dead letter. A dead letter has only one such request and one replay, whoever asks and however often. */
export async function askReplay(
  inbound: Inbound,
  { principal, key, letterId }: Request & { readonly letterId: string },
): Promise<ReplayAccepted | Refused> {
  const { state, outbox, config } = inbound;
  const keyHash = keyHashOf(principal, key);
  const requestId = newRequestId(inbound);
  for (let attempt = 0; attempt < TRIES; attempt++) {
    const found = await findLetter(state, letterId, principal);
    if (found.kind === "refused") return found;
    const { letter, request, now } = found;
    if (request && keyHash !== undefined && request.keyHash === keyHash) return { kind: "accepted", found, over: false, replayed: true };
    if (letter.replayed) return { kind: "accepted", found, over: true, replayed: false };
    if (request) return { kind: "accepted", found, over: false, replayed: false };
    const seen = await callToLookAt(state, letter);
    if (seen?.kind === "refused") return seen;
    const asked: ReplayRequest = {
      letterId,
      by: principal.id,
      ...(keyHash === undefined ? {} : { keyHash }),
      ...(seen ? { call: seen.call } : {}),
      askedAt: now,
    };
    const requestKey = keys.replayRequest(letterId);
    const { outcome } = await outbox.commit(shardOf(letterId), {
      op: `replay:${letterId}:${requestId}`,
      guards: [{ key: requestKey, version: 0 }],
      put: [{ key: requestKey, value: asked as unknown as Json, expiresAt: letter.expiresAt }],
      ...announcedReplay(asked, 1, config, now),
    });
    if (outcome === "ok") return { kind: "accepted", found: { ...found, request: asked }, over: false, replayed: false };
  }
  return refused("conflict", "The request could not be stored.", "Repeat it.");
}

/**
 * Returns the call that the agent has to check in a replay, in its current state. Returns null if the message itself is published again, and a
 * refusal if a replay could do nothing.
 */
async function callToLookAt(
  state: StateStore,
  { replayBy }: KeptLetter,
): Promise<{ readonly kind: "seen"; readonly call: SeenCall } | Refused | null> {
  switch (replayBy.kind) {
    case "publish":
      return null;
    case "none":
      return refused("not_replayable", replayBy.why, NOTHING_TO_DO);
    case "call": {
      const { callId } = replayBy;
      const { documents } = await state.read(isShardOf(state, callId) ? [keys.call(callId)] : []);
      const call = parseCall(documents[0]?.value);
      if (!call.ok) return refused("not_replayable", `The call ${callId} is no longer kept, so nothing waits for it.`, NOTHING_TO_DO);
      return seenCall(call.value);
    }
  }
}

/**
 * Returns why a replay of this dead letter could do nothing now. Returns undefined if a replay could do something, or if it was already requested.
 */
export async function whyNotReplayed(state: StateStore, { letter, request }: FoundLetter): Promise<string | undefined> {
  if (letter.replayed || request) return undefined;
  const seen = await callToLookAt(state, letter);
  return seen?.kind === "refused" ? seen.detail : undefined;
}

function seenCall({ callId, state, result, dispatch, requests }: Call): { readonly kind: "seen"; readonly call: SeenCall } | Refused {
  if (state === "resolved")
    return refused(
      "not_replayable",
      `The call ${callId} already has its result (${result?.status ?? "unknown"}): a replay would do nothing.`,
      "Read the run to see its outcome.",
    );
  return { kind: "seen", call: { callId, dispatch, requests } };
}

const NOTHING_TO_DO = "Dismiss it, or leave it: it is removed when it expires.";
