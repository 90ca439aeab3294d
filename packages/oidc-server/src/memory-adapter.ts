import type { Adapter, AdapterPayload } from "oidc-provider";

/** Returns where a provider keeps its sessions, codes and tokens: in the memory of this process, without an end. */
export function memoryAdapter(): (kind: string) => Adapter {
  const stored = new Map<string, AdapterPayload>();
  const found = (holds: (payload: AdapterPayload) => boolean): AdapterPayload | undefined => [...stored.values()].find(holds);
  return (kind) => ({
    upsert: async (id, payload) => void stored.set(`${kind} ${id}`, payload),
    find: async (id) => stored.get(`${kind} ${id}`),
    findByUid: async (uid) => found((payload) => payload.uid === uid),
    findByUserCode: async (code) => found(({ userCode }) => userCode === code),
    async consume(id) {
      const payload = stored.get(`${kind} ${id}`);
      if (payload) payload["consumed"] = 1;
    },
    destroy: async (id) => void stored.delete(`${kind} ${id}`),
    async revokeByGrantId(grantId) {
      for (const [id, payload] of stored) if (payload.grantId === grantId) stored.delete(id);
    },
  });
}
