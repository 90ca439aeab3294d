import { readFileSync } from "node:fs";
import { type IndexedServer, MCP_TOOLSET, namesCollide, serverPart } from "@toolbus/contracts";
import { type Tool, type Toolset, toolset } from "@toolbus/tool-kit";
import { fingerprintOf, serverFingerprint } from "./fingerprint.ts";
import { foreignDefinition, policyOf, sourceOf } from "./foreign-definition.ts";
import { foreignTool } from "./foreign-tool.ts";
import type { ServerConfig } from "./mcp-config.ts";
import { type McpServer, mcpServer, type McpServerOptions } from "./mcp-server.ts";
import { mapNames } from "./tool-names.ts";
import { turnsOf } from "./turns.ts";

/** The bridge that serves the current tools of all its servers as the toolset `mcp`. */
export interface McpBridge {
  readonly toolset: Toolset;
  /** Returns the source of each server's tools, and whether the server has listed them. */
  sources(): ReadonlyMap<string, boolean>;
  /** Returns the server with this name. Case and punctuation do not matter. */
  server(name: string): McpServer | undefined;
  /** Adds a server and connects it. Throws a TypeError if there is one with the same name in snake case. */
  add(config: ServerConfig): McpServer;
  /** Removes the server with this name and all its tools, and ends it. */
  remove(name: string): Promise<void>;
  /** Returns what the bridge knows about each of its servers. */
  indexed(): readonly IndexedServer[];
  /** Resolves when every server was tried once, or after `ms` milliseconds. */
  tried(ms: number): Promise<void>;
  /**
   * Calls the listener for each change, one at a time. `gone` contains the names of the tools that their servers no longer have. Changes before this
   * call are reported at once.
   */
  follow(listener: (gone: readonly string[]) => Promise<void>): void;
  stop(): Promise<void>;
}

export interface McpBridgeOptions extends Pick<McpServerOptions, "log" | "monotonic" | "random" | "stepMs"> {
  readonly servers: readonly ServerConfig[];
  readonly connect: (config: ServerConfig) => ReturnType<McpServerOptions["connect"]>;
  /** Returns the store's time, in milliseconds. */
  readonly clock: () => number;
  /** The bridge's own tools. They are added when a server has listed its tools for the first time. */
  readonly own?: readonly Tool[];
}

/** The longest time-out that an operator may give a tool. */
const LONGEST_TIMEOUT_MS = 600_000;
/** The number of programs that start at the same time. Fifty at once would take the processor from each other, and all would start late. */
const MOST_STARTING = 8;
/** After this time, the next program starts, whether the one before has listed its tools or not. The time limit of a start begins with the start. */
const LONGEST_TURN_MS = 5000;

export function mcpBridge({ servers: configs, connect, own = [], log, clock, monotonic, random, stepMs }: McpBridgeOptions): McpBridge {
  /** The server of each typed name. */
  const owners = new Map<string, McpServer>();
  const tools = toolset({
    name: MCP_TOOLSET,
    guide: readFileSync(new URL("guide.md", import.meta.url), "utf8"),
    tools: [],
    unavailableTool: ({ name }) => owners.get(name)?.unavailable() ?? null,
    longestTimeoutMs: LONGEST_TIMEOUT_MS,
  });
  /** The last list of each server, and the time when the bridge got it. */
  const lists = new Map<McpServer, { readonly list: ReturnType<McpServer["catalogue"]>; readonly at: number }>();
  const reported = new Set<string>();
  const gone = new Set<string>();
  const turns = turnsOf(MOST_STARTING, LONGEST_TURN_MS);
  let listener: ((gone: readonly string[]) => Promise<void>) | null = null;
  let telling: Promise<void> | null = null;
  let again = false;
  /** The servers by name in snake case. */
  const servers = new Map<string, McpServer>();
  for (const config of configs) add(config);
  // Without servers, nothing has to be listed first.
  if (configs.length === 0) offerOwn();
  return {
    toolset: tools,
    sources: () => new Map([...servers.values()].map((server) => [sourceOf(server.config), server.catalogue() !== null])),
    server: (name) => [...servers.values()].find(({ config }) => namesCollide(config.name, name)),
    add,
    async remove(name) {
      const server = servers.get(serverPart(name));
      if (!server) return;
      servers.delete(serverPart(name));
      keepOnly(server, new Set());
      tell();
      await server.stop();
    },
    indexed: () =>
      [...servers.values()].map((server) => ({
        name: server.config.name,
        tools: [...owners.values()].filter((owner) => owner === server).length,
        available: server.unavailable() === null,
        indexedAt: lists.get(server)?.at ?? null,
      })),
    async tried(ms) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, ms);
      await Promise.race([promise, Promise.all([...servers.values()].map((server) => server.tried))]);
      clearTimeout(timer);
    },
    follow(given) {
      listener = given;
      tell();
    },
    async stop() {
      listener = null;
      await Promise.all([...servers.values()].map((server) => server.stop()));
      await telling;
    },
  };

  function add(config: ServerConfig): McpServer {
    const part = serverPart(config.name);
    if (servers.has(part)) throw new TypeError(`There is already an MCP server with the name "${part}".`);
    const server: McpServer = mcpServer({
      config,
      connect: () => connect(config),
      ...(config.address.kind === "stdio" ? { turns } : {}),
      log,
      monotonic,
      random,
      ...(stepMs === undefined ? {} : { stepMs }),
      onChanged: () => {
        // A server that was removed may still have been listing its tools.
        if (servers.get(part) !== server) return;
        takeCatalogue(server);
        tell();
      },
    });
    servers.set(part, server);
    return server;
  }

  function offerOwn(): void {
    for (const tool of own) if (tools.find(tool.draft.name) === undefined) tools.register(tool);
  }

  /** Reports a change. All changes during a report are reported together after it. */
  function tell(): void {
    if (!listener) return;
    again = true;
    telling ??= reportAll().finally(() => (telling = null));
  }

  async function reportAll(): Promise<void> {
    while (again && listener) {
      again = false;
      const names = [...gone];
      try {
        await listener(names);
        for (const name of names) gone.delete(name);
      } catch (error) {
        // The next heartbeat, or the next change, tries again.
        log.warn({ error }, "a change of the tools of MCP servers could not be registered");
      }
    }
  }

  function takeCatalogue(server: McpServer): void {
    const listed = server.catalogue();
    if (listed === null) return;
    offerOwn();
    if (lists.get(server)?.list !== listed) lists.set(server, { list: listed, at: clock() });
    const { config } = server;
    const prints = new Map(listed.map((tool) => [tool.name, fingerprintOf(config.address, tool)]));
    const wholeServer = serverFingerprint([...prints.values()]);
    const { named, refused } = mapNames(
      config.name,
      listed.map(({ name }) => name),
    );
    for (const [typed, originals] of refused)
      once(
        `${config.name} ${typed}`,
        `The tools ${originals.map((one) => `"${one}"`).join(" and ")} of the MCP server "${config.name}" would both be "${typed}": none of them is registered.`,
      );
    const kept = new Set<string>();
    for (const [typed, original] of named) {
      const tool = listed.find(({ name }) => name === original);
      const fingerprint = prints.get(original) ?? "";
      if (!tool) continue;
      const { policy, unread } = policyOf(config, { tool: original, fingerprint, wholeServer });
      if (unread)
        once(
          `${typed} ${fingerprint}`,
          `The tool "${original}" of the MCP server "${config.name}" is not a read until an operator has checked its definition: it stays a write that waits for an operator. Check it with "toolbus tools show ${typed}", then write "fingerprint": "${fingerprint}" next to its "kind".`,
        );
      if (put(server, { typed, original }, foreignDefinition({ config, tool, typed, fingerprint, policy }))) kept.add(typed);
    }
    keepOnly(server, kept);
  }

  /** Removes the tools of a server that are not among these. */
  function keepOnly(server: McpServer, kept: ReadonlySet<string>): void {
    for (const [typed, owner] of owners) {
      if (owner !== server || kept.has(typed)) continue;
      tools.unregister(typed);
      owners.delete(typed);
      gone.add(typed);
    }
  }

  /** Registers a tool. Returns false if the definition cannot be used, and logs this once. */
  function put(
    server: McpServer,
    { typed, original }: { readonly typed: string; readonly original: string },
    draft: ReturnType<typeof foreignDefinition>,
  ): boolean {
    const owner = owners.get(typed);
    if (owner && owner !== server) {
      once(
        `${server.config.name} ${typed}`,
        `The tool "${original}" of the MCP server "${server.config.name}" has the name "${typed}" of one of "${owner.config.name}": it is not registered.`,
      );
      return false;
    }
    const before = tools.find(typed);
    if (before && JSON.stringify(before.definition) === JSON.stringify({ ...draft })) return true;
    if (before) tools.unregister(typed);
    try {
      tools.register(foreignTool(draft, { server, tool: original }));
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      once(`${typed} ${why}`, `The tool "${original}" of the MCP server "${server.config.name}" is left out: ${why}`);
      return false;
    }
    owners.set(typed, server);
    gone.delete(typed);
    return true;
  }

  function once(key: string, sentence: string): void {
    if (reported.has(key)) return;
    reported.add(key);
    log.warn({}, sentence);
  }
}
