import { HOME_SHARD, type Json, keys, parseProfileList, type ProfileList } from "@toolbus/contracts";
import { contentHash } from "@toolbus/grants";
import type { Outbox } from "@toolbus/runtime";
import { commitRepeatedly, type StateStore } from "@toolbus/state";
import type { Profile } from "./profile.ts";

const TRIES = 20;

/**
 * Announces the profiles of this agent to the gateway, and announces to everybody that the agent exists and is alive. During a roll-out, replicas may
 * know different profiles. Then the list of the replica that started last applies.
 */
export async function announceProfiles(
  { state, outbox }: { readonly state: StateStore; readonly outbox: Outbox },
  agent: string,
  profiles: Iterable<Profile>,
): Promise<void> {
  const known = [...profiles].map(({ name, description }) => ({ name, description })).toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const text = JSON.stringify(known);
  const key = keys.profiles(agent);
  for (let attempt = 1; attempt <= TRIES; attempt++) {
    const { now, documents } = await state.read([key]);
    const before = parseProfileList(documents[0]?.value);
    const same = before.ok && JSON.stringify(before.value.profiles) === text;
    const list: ProfileList = { agent, profiles: known, at: same ? before.value.at : now, seenAt: now };
    const { outcome } = await outbox.commit(HOME_SHARD, {
      op: `profiles:${agent}:${contentHash(text)}:${now}`,
      guards: [{ key, version: documents[0]?.version ?? 0 }],
      put: [{ key, value: list as unknown as Json }],
      index: [{ index: keys.agentIndex(), member: agent, score: 0 }],
    });
    if (outcome === "ok") return;
  }
  throw new Error(`The profiles of the agent "${agent}" could not be stored in ${TRIES} tries.`);
}

/** Sends a heartbeat of this agent, unless another replica did so within `freshMs`. The stored profiles stay unchanged. */
export async function markProfilesSeen(state: StateStore, agent: string, freshMs: number): Promise<void> {
  const key = keys.profiles(agent);
  const { now, documents } = await state.read([key]);
  const [stored] = documents;
  const reported = parseProfileList(stored?.value);
  if (!stored || !reported.ok || now - (reported.value.seenAt ?? 0) < freshMs) return;
  // A stale commit needs no repeat, because another replica was faster.
  await commitRepeatedly(state, HOME_SHARD, {
    op: `agent-seen:${agent}:${now}`,
    guards: [{ key, version: stored.version }],
    put: [{ key, value: { ...reported.value, seenAt: now } as unknown as Json }],
  });
}
