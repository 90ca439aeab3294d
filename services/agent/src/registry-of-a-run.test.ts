import { ownKeys } from "@toolbus/grants";
import { budgetsOf } from "./testing/budgets-under-test.ts";
import { listenTo, memoryBus } from "@toolbus/bus";
import { keys, McpMetadataRefresh, message, messageTypes, parser, registryVersion, ToolRefresh, topics } from "@toolbus/contracts";
import { type ModelProvider, offlineModel } from "@toolbus/models";
import { readSettings, Refusal } from "@toolbus/runtime";
import { memoryStore } from "@toolbus/state";
import { silentLog } from "@toolbus/telemetry";
import { describe, expect, it } from "vitest";
import { modelTurn } from "./steps/model-turn.ts";
import { bundle, profile } from "./testing/test-bundle.ts";
import { agent } from "./service.ts";

const own = await ownKeys(["agent", "gateway", "approvals"]);

function infrastructure() {
  const clock = (): number => 1_800_000_000_000;
  const bus = memoryBus();
  const state = memoryStore({ clock });
  return {
    parts: {
      bus,
      state,
      log: silentLog,
      identity: own.identityOf("agent"),
      trusted: own.trusted,
      embedded: true,
      clock,
      monotonic: () => performance.now(),
      random: (n: number) => new Uint8Array(n),
    },
    async [Symbol.asyncDispose]() {
      await bus.close();
      await state.close();
    },
  };
}

describe("a run and the registry", () => {
  it("records in its first event which version of the registry it began with", async () => {
    const b = bundle();
    await b.start();
    const version = registryVersion(
      [...b.tools.values()].map(({ definition, hash }) => ({ name: definition.name, version: definition.version, hash })),
    );
    expect((await b.events())[0]).toMatchObject({ type: "run.started", registryVersion: version });
    expect((await b.snapshot()).run.value.registryVersion).toBe(version);
  });
});

describe("a model", () => {
  it("is given only name, description and parameters of a tool, under its plain name", async () => {
    const b = bundle();
    await b.start();
    const [look] = [...b.tools.values()];
    if (!look) throw new Error("no tool");
    const { definition } = look;
    const parameters = { ...definition.parameters, "x-owner": "billing" };
    const tools = new Map([[definition.name, { ...look, definition: { ...definition, version: "3", owner: "team", parameters } }]]);
    const given: unknown[] = [];
    const model = offlineModel();
    const provider: ModelProvider = {
      ...model,
      async complete(request) {
        given.push(...request.tools);
        return { text: "Done.", calls: [], stop: "end_turn", usage: { inputTokens: 1, outputTokens: 1 }, model: "test" };
      },
    };
    const { run } = await b.snapshot();
    await modelTurn(
      {
        state: b.state,
        provider,
        run: run.value,
        profile,
        transcript: await b.transcript(),
        tools,
        toolChoice: "auto",
        budgets: budgetsOf(b.state, {}),
      },
      new AbortController().signal,
    );
    expect(given).toEqual([{ name: definition.name, description: definition.description, parameters: definition.parameters }]);
  });
});

describe("an agent that starts", () => {
  it("asks every worker to register again", async () => {
    await using at = infrastructure();
    const { promise: heard, resolve } = Promise.withResolvers<ToolRefresh>();
    await listenTo(at.parts.bus, {
      topic: topics.toolRefresh,
      types: [messageTypes.toolRefresh],
      parse: parser(ToolRefresh),
      listener: (_, body: ToolRefresh) => resolve(body),
      log: silentLog,
    });
    const service = await agent.start(at.parts, readSettings(agent.settings, {}));
    expect(await heard).toEqual({});
    await service.stop();
  });

  it("asks every MCP bridge for its servers, and listens to the answer", async () => {
    await using at = infrastructure();
    const { bus, state } = at.parts;
    let reads = 0;
    const read = Promise.withResolvers<void>();
    const page: typeof state.page = (index, ...rest) => {
      if (index === keys.registryIndex() && ++reads > 0) read.resolve();
      return state.page(index, ...rest);
    };
    // The test plays a bridge, whose answer makes the agent read the registry.
    const told = { topic: topics.mcpServersIndexed, type: messageTypes.mcpServersIndexed, source: "worker.mcp", now: 1 };
    await listenTo(bus, {
      topic: topics.mcpMetadataRefresh,
      types: [messageTypes.mcpMetadataRefresh],
      parse: parser(McpMetadataRefresh),
      listener: () => bus.announce(message({ ...told, id: "mcp-indexed:mcp#1", body: { servers: [] } })),
      log: silentLog,
    });
    const service = await agent.start({ ...at.parts, state: { ...state, page } }, readSettings(agent.settings, {}));
    await read.promise;
    await service.stop();
    expect(reads).toBe(1);
  });

  it("refuses flags that it cannot read, with one sentence", async () => {
    await using at = infrastructure();
    for (const [env, words] of [
      [{ TOOL_FLAGS: "issue_refund_enabled" }, /sets no flag: write flags as issue_refund_enabled=false,other=true\.$/],
      [{ TOOL_FLAGS_FILE: "no-such-flags.json" }, /^The flags file no-such-flags\.json cannot be read \(ENOENT\)\.$/],
      [{ TOOLBUS_ENVIRONMENT: "my staging" }, /^"my staging" is not a name of an environment/],
    ] as const) {
      const starting = agent.start(at.parts, readSettings(agent.settings, env));
      await expect(starting).rejects.toThrow(words);
      await expect(starting).rejects.toBeInstanceOf(Refusal);
    }
  });
});
