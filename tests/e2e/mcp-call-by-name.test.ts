import { readFileSync } from "node:fs";
import path from "node:path";
import { startAllInOne } from "@toolbus/all-in-one";
import { attributes, INVOKE_TOOL, type McpServersIndexed, type Message, message, messageTypes, topics } from "@toolbus/contracts";
import { describeOnServer } from "@toolbus/testing/servers";
import { describe, expect, it } from "vitest";
import { TOOLBUS } from "./testing/cli-under-test.ts";
import { inMemory, onServers, type Place } from "./testing/dead-letter-places.ts";
import { approve, call, follow, heldApproval } from "./testing/http-client.ts";
import { overTheBus } from "./testing/over-the-bus.ts";
import { runProgram } from "./testing/program.ts";
import { replayed } from "./testing/replayed.ts";
import { scratch } from "./testing/scratch.ts";

const MEMORY = path.resolve(
  import.meta.dirname,
  "../../services/tool-executor/node_modules/@modelcontextprotocol/server-memory/dist/index.js",
);
const ENTITY = { name: "pay", entityType: "service", observations: ["it is up"] };
const byName = (tool: string, args: object): string =>
  `${INVOKE_TOOL} ${JSON.stringify({ server_name: "MEMORY", tool_name: tool, arguments: args })}`;

/** Starts a system with the memory server of the MCP project. Records the invokes, and the announcements of MCP servers. */
async function started(place: Place) {
  await using begun = new AsyncDisposableStack();
  const files = scratch();
  begun.defer(() => files.remove());
  const consumed = new Set<string>();
  begun.defer(() => place.remove([...consumed]));
  const memories = files.at("memories.jsonl");
  const server = { command: process.execPath, args: [MEMORY], env: { MEMORY_FILE_PATH: memories } };
  const config = files.file("mcp.json", JSON.stringify({ mcpServers: { Memory: server } }));
  const invokes: Message[] = [];
  const indexed: McpServersIndexed[] = [];
  let heard = Promise.withResolvers<void>();
  let ask = async (): Promise<void> => undefined;
  const directory = files.data();
  const { gatewayUrl, approvalsUrl, keys, stop } = await startAllInOne({
    directory,
    env: { GATEWAY_PORT: "0", APPROVALS_PORT: "0", LOG_LEVEL: "silent", MCP_CONFIG_FILE: config, ...place.env },
    wrap: (whole) => {
      const { bus } = whole;
      ask = () => {
        const parts = {
          topic: topics.mcpMetadataRefresh,
          type: messageTypes.mcpMetadataRefresh,
          source: "/test",
          now: Date.now(),
          body: {},
        };
        return bus.announce(message({ ...parts, id: `mcp-refresh:test#${indexed.length}` }));
      };
      return overTheBus({
        ...whole,
        bus: {
          ...bus,
          publish: (sent) => {
            if (sent.topic === topics.invoke("mcp")) invokes.push(sent);
            return bus.publish(sent);
          },
          consume: (topic, handler, options) => {
            for (const one of [topic, topics.dead(topic)]) consumed.add(one);
            return bus.consume(topic, handler, options);
          },
          // Each announcement that arrives here went through the bus.
          listen: (topic, listener) =>
            bus.listen(topic, (sent) => {
              if (topic === topics.mcpServersIndexed) {
                indexed.push(JSON.parse(sent.body) as McpServersIndexed);
                heard.resolve();
              }
              return listener(sent);
            }),
        },
      });
    },
  });
  begun.defer(async () => void (await stop()));
  const requester = { gateway: gatewayUrl, user: keys.user };
  const runs: string[] = [];
  const env = { TOOLBUS_URL: gatewayUrl, TOOLBUS_APPROVALS_URL: approvalsUrl, DATA_DIR: directory };
  const open = begun.move();
  return {
    requester,
    decider: { approvals: approvalsUrl, approver: keys.approver },
    invokes,
    remembered: () => readFileSync(memories, "utf8"),
    toolbus: (...args: string[]) => runProgram(TOOLBUS, args, { env }),
    /** Begins a run with this message, and returns its id. */
    async say(content: string): Promise<string> {
      const made = await call(`${gatewayUrl}/v1/conversations`, keys.user, {});
      const { conversationId } = made.body as { readonly conversationId: string };
      const sent = await call(`${gatewayUrl}/v1/conversations/${conversationId}/messages`, keys.user, { content });
      const { runId } = sent.body as { readonly runId: string };
      runs.push(runId);
      return runId;
    },
    /** Plays every run again from its record. Returns how their calls by name ended. */
    async replayAll(): Promise<readonly (string | undefined)[]> {
      const ends: (string | undefined)[] = [];
      for (const runId of runs)
        for (const { via, result } of (await replayed(gatewayUrl, keys.operator, runId)).calls)
          if (via !== undefined) ends.push(result?.status);
      return ends;
    },
    /** Asks the bridge for its servers as an agent does, and returns what the agents then heard. */
    async announced(): Promise<McpServersIndexed | undefined> {
      heard = Promise.withResolvers();
      await ask();
      await heard.promise;
      return indexed.at(-1);
    },
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}

async function callsByName(place: Place): Promise<void> {
  await using system = await started(place);
  const { requester, decider, invokes, toolbus } = system;
  expect(await system.announced()).toEqual({
    servers: [{ name: "Memory", tools: 9, available: true, indexedAt: expect.any(Number) }],
  });

  // The definition waits for an operator, as if the model had called the tool itself.
  const refused = await follow(requester, await system.say(byName("create-entities", { entities: [ENTITY] })));
  expect(refused).toContainEqual(
    expect.objectContaining({
      type: "call.resolved",
      tool: "memory__create_entities",
      content: expect.stringContaining("an operator has to enable it"),
    }),
  );
  const shown = (await toolbus("tools", "show", "memory__create_entities", "--diff")).stdout;
  const [, hash = ""] = /^hash +(sha256-\S+)$/m.exec(shown) ?? [];
  expect(await toolbus("tools", "enable", "memory__create_entities", "--hash", hash, "--yes")).toMatchObject({ code: 0 });

  const runId = await system.say(byName("Create_Entities", { entities: [ENTITY] }));
  const approvalId = await heldApproval(requester, runId);
  expect(invokes).toEqual([]);
  expect(() => system.remembered()).toThrow(/ENOENT/);
  await approve(decider, approvalId);
  const events = await follow(requester, runId);
  expect(events).toContainEqual(
    expect.objectContaining({
      type: "turn",
      calls: [expect.objectContaining({ tool: "memory__create_entities", kind: "write", via: INVOKE_TOOL })],
    }),
  );
  expect(events).toContainEqual(expect.objectContaining({ type: "call.held", tool: "memory__create_entities", tier: "high" }));
  expect(events).toContainEqual(expect.objectContaining({ type: "call.resolved", tool: "memory__create_entities", status: "ok" }));
  expect(system.remembered().trim().split("\n")).toEqual([expect.stringContaining('"name":"pay"')]);
  expect(new Set(invokes.map(({ attributes: named }) => named[attributes.mcpServer]))).toEqual(new Set(["Memory"]));

  const unknown = await follow(requester, await system.say(byName("forget_everything", {})));
  expect(unknown).toContainEqual(
    expect.objectContaining({
      type: "call.resolved",
      status: "unknown_tool",
      content: expect.stringContaining("The nearest are: memory__"),
    }),
  );
  expect(await system.replayAll()).toEqual(["denied", "ok"]);
}

describe("the tools of an MCP server, called by name, on the bus in memory", () => {
  it("are announced, need the same approval as under their own name, and run under it", () => callsByName(inMemory));
});

// Only the longer test run covers RabbitMQ.
for (const kind of process.env["LONG_PROOFS"] ? (["nats", "rabbitmq"] as const) : (["nats"] as const))
  describeOnServer(kind, "the tools of an MCP server, called by name", (broker) =>
    describeOnServer("redis", "and Redis", (redis) => {
      it("are announced, need the same approval as under their own name, and run under it", () =>
        callsByName(onServers(broker(), redis())));
    }),
  );
