import { HOME_SHARD, keys, type McpServers, namesCollide, parseMcpServers } from "@toolbus/contracts";
import { type Identity, signDocument, signedReader, type TrustedKeys } from "@toolbus/grants";
import { commitRepeatedly, MAX_VALUE_BYTES, type StateStore } from "@toolbus/state";
import type { Log } from "@toolbus/telemetry";

/** A server that a call registered. */
export type RegisteredServer = McpServers["servers"][number];

/** What came of a change. "repeated" means that an earlier attempt of the same call made the change. */
export type Changed = "done" | "repeated" | "exists" | "missing" | "full";

/** The servers in the store that calls registered. */
export interface RegisteredServers {
  /**
   * Returns the servers, or null if the document is not genuine. Then nobody acts on it. Rejects with `StoreUnavailable` if the store does not answer.
   */
  read(): Promise<readonly RegisteredServer[] | null>;
  /** Adds a server. "exists" if there is one of the same name. Case does not matter. */
  add(server: Omit<RegisteredServer, "registeredAt">): Promise<Changed>;
  /** Removes the server with this name. Case does not matter. */
  remove(name: string, callId: string): Promise<Changed>;
}

export interface RegisteredServersOptions {
  readonly state: StateStore;
  readonly identity: Identity;
  readonly trusted: TrustedKeys;
  readonly log: Log;
}

const TRIES = 8;
const MOST_SERVERS = 32;
/** The number of calls that the document remembers. Each call needs a person's approval, so this is more than a call's attempts can last. */
const MOST_CALLS = 100;

/**
 * Returns the registered servers in this store. The document makes the bridge run programs. So it is valid only with the signature of the toolset
 * `mcp`, whose workers write it only with a grant.
 */
export function registeredServers({ state, identity, trusted, log }: RegisteredServersOptions): RegisteredServers {
  const key = keys.registeredMcpServers();
  const reader = signedReader({ typ: "tb-mcp-servers+jwt", keys: trusted.of("worker.mcp") });
  let reported = "";
  return {
    read: async () => (await current())?.document.servers ?? null,
    add: (server) =>
      change(server.callId, ({ servers }, now) => {
        if (servers.some((one) => namesCollide(one.name, server.name))) return "exists";
        return servers.length >= MOST_SERVERS ? "full" : [...servers, { ...server, registeredAt: now }];
      }),
    remove: (name, callId) =>
      change(callId, ({ servers }) => {
        const left = servers.filter((one) => !namesCollide(one.name, name));
        return left.length === servers.length ? "missing" : left;
      }),
  };

  async function current(): Promise<{ readonly document: McpServers; readonly version: number; readonly now: number } | null> {
    const { now, documents } = await state.read([key]);
    const [stored] = documents;
    if (!stored) return { document: { servers: [], calls: [], revision: 0 }, version: 0, now };
    const verdict = await reader.read(key, stored.value);
    const parsed = parseMcpServers(stored.value);
    if (verdict.kind === "genuine" && parsed.ok) return { document: parsed.value, version: stored.version, now };
    const why = verdict.kind === "genuine" ? "it cannot be read" : verdict.detail;
    if (why !== reported)
      log.error({ why }, "The list of registered MCP servers in the store is not valid. No server of it is started or changed.");
    reported = why;
    return null;
  }

  async function change(
    callId: string,
    decide: (document: McpServers, now: number) => readonly RegisteredServer[] | Exclude<Changed, "done" | "repeated">,
  ): Promise<Changed> {
    for (let tries = 1; tries <= TRIES; tries++) {
      const found = await current();
      if (!found) throw new Error("The list of registered MCP servers in the store is not valid.");
      const { document, version, now } = found;
      if (document.calls.includes(callId)) return "repeated";
      const servers = decide(document, now);
      if (typeof servers === "string") return servers;
      const content = { servers: [...servers], calls: [...document.calls, callId].slice(-MOST_CALLS) };
      const revision = (document.revision ?? 0) + 1;
      const value = await signDocument("tb-mcp-servers+jwt", { key, revision, content }, identity.signer);
      if (Buffer.byteLength(JSON.stringify(value)) > MAX_VALUE_BYTES) return "full";
      const { outcome } = await commitRepeatedly(state, HOME_SHARD, {
        op: `mcp-servers:${callId}:${version}`,
        guards: [{ key, version }],
        put: [{ key, value }],
      });
      if (outcome === "ok") return "done";
    }
    throw new Error("The list of registered MCP servers changes all the time.");
  }
}
