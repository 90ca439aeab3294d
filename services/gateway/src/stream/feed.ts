import type { Json } from "@toolbus/contracts";
import { pause } from "@toolbus/runtime";
import type { StateStore } from "@toolbus/state";
import type { Log } from "@toolbus/telemetry";

/** What a subscriber of one run hears: look at the log again, or a live batch. */
export interface FeedListener {
  readonly onAppend: () => void;
  readonly onLive: (batch: Json) => void;
}

/** One follower of the store per process, however many clients watch. */
export interface Feed {
  /** From now on the listener hears of these two logs, until it calls what it gets. A listener must not throw: others listen too. */
  listen(logs: { readonly events: string; readonly live: string }, listener: FeedListener): () => void;
  stop(): Promise<void>;
}

export function startFeed(state: StateStore, log: Log): Feed {
  const stopping = new AbortController();
  const appended = new Map<string, Set<FeedListener>>();
  const live = new Map<string, Set<FeedListener>>();
  const following = follow();

  return {
    listen(logs, listener) {
      add(appended, logs.events, listener);
      add(live, logs.live, listener);
      return () => {
        remove(appended, logs.events, listener);
        remove(live, logs.live, listener);
      };
    },
    async stop() {
      stopping.abort();
      await following;
    },
  };

  async function follow(): Promise<void> {
    while (!stopping.signal.aborted) {
      try {
        for await (const item of state.follow({ signal: stopping.signal })) {
          if (item.kind === "append") for (const listener of appended.get(item.log) ?? []) listener.onAppend();
          else if (item.kind === "live") for (const listener of live.get(item.log) ?? []) listener.onLive(item.batch);
          else everyoneLooks();
        }
      } catch (error) {
        log.warn({ error }, "the feed of the state store broke off and is opened again");
      }
      await pause(250, stopping.signal);
      // What came in between was not heard.
      everyoneLooks();
    }
  }

  function everyoneLooks(): void {
    for (const listeners of appended.values()) for (const listener of listeners) listener.onAppend();
  }
}

function add(map: Map<string, Set<FeedListener>>, key: string, listener: FeedListener): void {
  const listeners = map.get(key) ?? new Set();
  listeners.add(listener);
  map.set(key, listeners);
}

function remove(map: Map<string, Set<FeedListener>>, key: string, listener: FeedListener): void {
  const listeners = map.get(key);
  listeners?.delete(listener);
  if (listeners?.size === 0) map.delete(key);
}
