import { HOME_SHARD, type Json, keys, parseProfileList, type ProfileList } from "@toolbus/contracts";
import { contentHash } from "@toolbus/grants";
import type { Outbox } from "@toolbus/runtime";
import { commitRepeatedly, type StateStore } from "@toolbus/state";
import type { Profile } from "./profile.ts";
import { profileHash, profileText } from "./profiles/profile-hash.ts";

const TRIES = 20;

/** The store keeps the text of a profile longer than any run that began with it, and each announcement renews it. */
const TEXT_KEPT_MS = 60 * 86_400_000;
/** How often a living agent announces its profiles again, so that their texts stay in the store. */
export const RENEWED_MS = 86_400_000;

/**
 * Announces the profiles of this agent to the gateway, and announces to everybody that the agent exists and is alive. During a roll-out, replicas may
 * know different profiles. Then the list of the replica that started last applies. The same commit stores the text of each profile for later
 * replays. Returns the store's time.
 */
export async function announceProfiles(
  { state, outbox }: { readonly state: StateStore; readonly outbox: Outbox },
  agent: string,
  profiles: Iterable<Profile>,
): Promise<number> {
  const all = [...profiles];
  const known = all.map(({ name, description }) => ({ name, description })).toSorted((a, b) => (a.name < b.name ? -1 : 1));
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
      put: [
        { key, value: list as unknown as Json },
        ...all.map((profile) => ({
          key: keys.profileText(profileHash(profile)),
          value: profileText(profile, now) as unknown as Json,
          expiresAt: now + TEXT_KEPT_MS,
        })),
      ],
      index: [{ index: keys.agentIndex(), member: agent, score: 0 }],
    });
    if (outcome === "ok") return now;
  }
  throw new Error(`The profiles of the agent "${agent}" could not be stored in ${TRIES} tries.`);
}

/** Sends a heartbeat of this agent, unless another replica did so within `freshMs`. The stored profiles stay unchanged. Returns the store's time. */
export async function markProfilesSeen(state: StateStore, agent: string, freshMs: number): Promise<number> {
  const key = keys.profiles(agent);
  const { now, documents } = await state.read([key]);
  const [stored] = documents;
  const reported = parseProfileList(stored?.value);
  if (!stored || !reported.ok || now - (reported.value.seenAt ?? 0) < freshMs) return now;
  // A stale commit needs no repeat, because another replica was faster.
  await commitRepeatedly(state, HOME_SHARD, {
    op: `agent-seen:${agent}:${now}`,
    guards: [{ key, version: stored.version }],
    put: [{ key, value: { ...reported.value, seenAt: now } as unknown as Json }],
  });
  return now;
}
