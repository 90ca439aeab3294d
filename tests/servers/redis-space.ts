import { randomUUID } from "node:crypto";
import { connectState, type ConnectStateOptions, type StateStore } from "@toolbus/state";
import type { OpenedStore } from "@toolbus/state/conformance";
import { removeNamespace, type TestServer } from "@toolbus/testing/servers";
import { afterAll } from "vitest";

/** Unique namespaces on a server. The suite removes everything in them when it ends. */
export interface RedisSpace {
  /** Returns the URL of a separate store, which is empty at first. The same text always names the same store. */
  urlOf(text: string): string;
  connect(text: string, options?: Partial<ConnectStateOptions>): Promise<StateStore>;
  /** Opens a new store whose clock the test controls. */
  open(): Promise<OpenedStore>;
}

export function redisSpace(server: () => Pick<TestServer, "kind" | "url" | "source">): RedisSpace {
  const space = `t-${randomUUID().slice(0, 8)}`;
  const made = new Set<string>();
  let opened = 0;
  afterAll(async () => {
    // A private server is removed as a whole.
    if (server().source === "private") return;
    for (const namespace of made) await removeNamespace(server(), namespace);
  });
  return { urlOf, connect, open };

  function urlOf(text: string): string {
    const namespace = `${space}.${text}`;
    made.add(namespace);
    return redisUrl(server().url, namespace);
  }

  function connect(text: string, options: Partial<ConnectStateOptions> = {}): Promise<StateStore> {
    return connectState(urlOf(text), { clock: Date.now, ...options });
  }

  async function open(): Promise<OpenedStore> {
    let now = 1_700_000_000_000;
    const name = `case-${opened++}`;
    const reopen = (): Promise<StateStore> => connect(name, { clock: () => now, clockForAll: true });
    return { store: await reopen(), advance: (ms) => void (now += ms), reopen };
  }
}

/** Returns a store's URL with relaxed durability, because a shared server may store nothing on disk. */
export function redisUrl(server: string, namespace: string): string {
  return `${server.replace(/[?#].*$/, "")}?namespace=${namespace}&durability=relaxed`;
}

export interface OpenStore extends AsyncDisposable {
  readonly store: StateStore;
}

/** Opens a store that uses its server's time. This process's clock is always 0, so the store cannot use it. */
export async function openStore(url: string): Promise<OpenStore> {
  const store = await connectState(url, { clock: () => 0 });
  return { store, [Symbol.asyncDispose]: () => store.close() };
}
