import { HOME_SHARD, type Json, keys, parseRegistration, parseReplicas, SEEN_FOR_MS } from "@toolbus/contracts";
import { commitRepeatedly, type StateStore, type StoredDocument } from "@toolbus/state";
import type { Toolset } from "../tool/toolset.ts";

/**
 * Records that this replica of a toolset is alive, and removes replicas that have been silent for too long. A replica does this before it registers.
 * If another replica leaves at the same moment, that replica either finds this record, or writes a mark that the registration removes. Throws if the
 * store is unavailable.
 */
export async function sayHere(state: StateStore, toolset: string, replica: string): Promise<void> {
  for (let tries = 1; tries <= TRIES; tries++) {
    const { now, documents } = await state.read([keys.replicas(toolset)]);
    const replicas = { ...others(documents[0], replica, now), [replica]: now };
    if (await isCommitted(state, toolset, { op: `here:${replica}:${now}`, replicas, over: documents[0], put: [], guards: [] })) return;
  }
  // So many replicas wrote at once that this one gives up. Its next heartbeat records it.
}

/**
 * Records that this replica stops. If it is the last one, it marks the registrations of the toolset, so that callers know at once that nobody serves
 * them. It does not mark definitions that another version of the toolset registered. Throws if the store is unavailable. In this case, the missing
 * heartbeat shows later that nobody serves them.
 */
export async function sayGone(state: StateStore, toolset: Toolset, replica: string): Promise<void> {
  const executors = toolset.list();
  const own = executors.map(({ definition }) => keys.registration(toolset.name, definition.name, definition.version));
  for (let tries = 1; tries <= TRIES; tries++) {
    const { now, documents } = await state.read([keys.replicas(toolset.name), ...own]);
    const [stored, ...registrations] = documents;
    const replicas = others(stored, replica, now);
    const put: { readonly key: string; readonly value: Json }[] = [];
    const guards: { readonly key: string; readonly version: number }[] = [];
    if (Object.keys(replicas).length === 0) {
      executors.forEach(({ hash }, n) => {
        const [key = "", document] = [own[n], registrations[n]];
        const known = document ? parseRegistration(document.value) : null;
        if (!document || !known?.ok || known.value.hash !== hash) return;
        put.push({ key, value: { ...known.value, leftAt: now } });
        guards.push({ key, version: document.version });
      });
    }
    if (await isCommitted(state, toolset.name, { op: `gone:${replica}:${now}`, replicas, over: stored, put, guards })) return;
  }
}

const TRIES = 8;

interface Said {
  readonly op: string;
  readonly replicas: Readonly<Record<string, number>>;
  readonly over: StoredDocument | null | undefined;
  readonly put: readonly { readonly key: string; readonly value: Json }[];
  readonly guards: readonly { readonly key: string; readonly version: number }[];
}

async function isCommitted(state: StateStore, toolset: string, { op, replicas, over, put, guards }: Said): Promise<boolean> {
  const key = keys.replicas(toolset);
  const { outcome } = await commitRepeatedly(state, HOME_SHARD, {
    op: `${op}:${over?.version ?? 0}`,
    guards: [{ key, version: over?.version ?? 0 }, ...guards],
    put: [{ key, value: { replicas } }, ...put],
  });
  return outcome === "ok";
}

/** Returns the other living replicas, as far as is known. */
function others(stored: StoredDocument | null | undefined, replica: string, now: number): Record<string, number> {
  const known = stored ? parseReplicas(stored.value) : null;
  if (!known?.ok) return {};
  return Object.fromEntries(Object.entries(known.value.replicas).filter(([name, seen]) => name !== replica && now - seen <= SEEN_FOR_MS));
}
