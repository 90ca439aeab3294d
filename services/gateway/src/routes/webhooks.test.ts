import { deliveryIdOf, type Json, keys, shardOf, type WebhookDelivery } from "@toolbus/contracts";
import { describe, expect, it } from "vitest";
import { setup, START, until } from "../testing/gateway-under-test.ts";

/** Stores the agent's record of a delivery that the agent gave up. */
async function givenUp(t: Awaited<ReturnType<typeof setup>>, runId: string, state: WebhookDelivery["state"] = "failed"): Promise<string> {
  const deliveryId = deliveryIdOf("run.ended", runId, "ops");
  const about = { event: "run.ended", subject: runId, target: "ops", at: START } as const;
  const value: WebhookDelivery = { deliveryId, ...about, attempts: 8, state, failedAt: START, reason: "it answered 500" };
  const key = keys.delivery("agent", deliveryId);
  await t.store.commit(shardOf(deliveryId), {
    op: deliveryId,
    guards: [{ key, version: 0 }],
    put: [{ key, value: value as unknown as Json }],
    index: [{ index: keys.failedDeliveries("agent"), member: deliveryId, score: START }],
  });
  return deliveryId;
}

describe("webhooks of the agent that were given up", () => {
  it("are shown to an operator of the run's tenant, who can have the agent send one again", async () => {
    await using t = await setup();
    const runId = await t.accepted("una");
    const id = await givenUp(t, runId);
    const send = `/v1/webhooks/${id}/send`;
    expect((await t.ask("otto", "/v1/webhooks")).body).toMatchObject({
      deliveries: [{ id, event: "run.ended", subject: runId, state: "failed", reason: "it answered 500", links: { send } }],
    });
    expect((await t.ask("olga", "/v1/webhooks")).body).toEqual({ deliveries: [] });
    expect((await t.ask("olga", send, { method: "POST" })).status).toBe(404);
    expect((await t.ask("otto", send, { method: "POST" })).status).toBe(202);
    const reported = (): boolean => t.wakes.some(({ body }) => (JSON.parse(body) as { readonly delivery?: string }).delivery === id);
    await until(reported);
    // The delivery stays in the list until the agent has taken it, so a repeated request is forwarded again.
    expect((await t.ask("otto", send, { method: "POST" })).status).toBe(202);
  });

  it("are not sent again while they are retried automatically, and missing ones and foreign cursors are refused", async () => {
    await using t = await setup();
    const waiting = await givenUp(t, await t.accepted("una"), "waiting");
    const post = (id: string) => t.ask("otto", `/v1/webhooks/${id}/send`, { method: "POST" });
    expect((await post(waiting)).status).toBe(409);
    expect((await post("wh_05_01JD0000000000000000000001")).status).toBe(404);
    expect((await post("wh_ff_01JD0000000000000000000001")).status).toBe(404);
    expect((await t.ask("otto", "/v1/webhooks?cursor=none")).status).toBe(400);
    expect(t.wakes.filter(({ body }) => body.includes("delivery"))).toEqual([]);
  });
});
