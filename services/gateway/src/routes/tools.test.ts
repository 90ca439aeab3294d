import { HOME_SHARD, type Json, keys, type Registration, type ToolDefinition } from "@toolbus/contracts";
import type { StateStore } from "@toolbus/state";
import { describe, expect, it } from "vitest";
import { setup, START } from "../gateway-under-test.ts";
import { problemOf } from "../problem-under-test.ts";

const refund: ToolDefinition = {
  name: "issue_refund",
  version: "1",
  description: "Refunds an order.",
  parameters: { type: "object", properties: { order: { type: "string" } } },
  kind: "write",
  risk: { tier: "high" },
  idempotency: { mode: "none" },
  timeoutMs: 1000,
  source: "orders",
};
const lookup: ToolDefinition = { ...refund, name: "find_order", description: "Finds an order.", kind: "read", risk: { tier: "low" } };

describe("GET /v1/tools", () => {
  it("lists what is registered, whether or not a worker runs", async () => {
    await using t = await setup();
    await register(t.store, "orders", refund);
    await register(t.store, "orders", lookup);
    const { status, body } = await t.ask("una", "/v1/tools");
    expect(status).toBe(200);
    expect(body).toEqual({
      tools: [lookup, refund].map(({ name, version, description, kind, risk, parameters, source }) => ({
        name,
        version,
        toolset: "orders",
        source,
        kind,
        tier: risk.tier,
        description,
        parameters,
        hash: `hash of ${name}`,
        lastSeenAt: START,
      })),
    });
  });

  it("is empty before the first worker, and leaves out what it cannot read", async () => {
    await using t = await setup();
    expect((await t.ask("otto", "/v1/tools")).body).toEqual({ tools: [] });
    await register(t.store, "orders", refund, { hash: 7 });
    await register(t.store, "orders", lookup);
    expect((await t.ask("otto", "/v1/tools")).body).toMatchObject({ tools: [{ name: "find_order" }] });
  });

  it("needs a key of a user or an operator", async () => {
    await using t = await setup();
    expect(problemOf(await t.ask(null, "/v1/tools")).status).toBe(401);
    expect(problemOf(await t.ask("amy", "/v1/tools")).status).toBe(403);
  });
});

/** Registers a tool as its worker does. */
async function register(
  store: StateStore,
  toolset: string,
  definition: ToolDefinition,
  broken: { readonly [field: string]: Json } = {},
): Promise<void> {
  const { name, version } = definition;
  const key = keys.registration(toolset, name, version);
  const registration: Registration = { toolset, definition, hash: `hash of ${name}`, registeredAt: START, lastSeenAt: START };
  await store.commit(HOME_SHARD, {
    op: `register ${name}`,
    guards: [{ key, version: 0 }],
    put: [{ key, value: { ...registration, ...broken } as unknown as Json }],
    index: [{ index: keys.registryIndex(), member: `${toolset}/${name}@${version}`, score: 0 }],
  });
}
