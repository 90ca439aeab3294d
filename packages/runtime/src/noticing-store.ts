import type { RowKind, StateStore } from "@toolbus/state";

type Listener = (dueIn: number) => void;

/** Returns the store, and tells who reads the rows of a service when a commit of this process makes one due. So readers need not look often. */
export function noticingStore(state: StateStore): StateStore {
  const listeners = new Map<string, Set<Listener>>();
  return {
    ...state,
    async commit(shard, change) {
      const reply = await state.commit(shard, change);
      if (reply.outcome === "ok" && listeners.size > 0) {
        for (const { service, dueIn } of change.timers ?? []) if (dueIn !== null) tell(service, "timer", dueIn);
        for (const { service, dueIn } of change.outbox ?? []) tell(service, "outbox", dueIn);
      }
      return reply;
    },
    onRows(service, kind, listener) {
      const name = `${kind} ${service}`;
      const own = listeners.get(name) ?? new Set();
      listeners.set(name, own.add(listener));
      return () => {
        own.delete(listener);
        if (own.size === 0) listeners.delete(name);
      };
    },
  };

  function tell(service: string, kind: RowKind, dueIn: number): void {
    for (const listener of listeners.get(`${kind} ${service}`) ?? []) listener(dueIn);
  }
}
