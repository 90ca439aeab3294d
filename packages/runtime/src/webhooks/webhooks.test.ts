import { deliveryIdOf, type Json, keys, parseWebhookDelivery, type WebhookDelivery } from "@toolbus/contracts";
import { memoryStore } from "@toolbus/state";
import { type Log, silentLog } from "@toolbus/telemetry";
import { Webhook } from "standardwebhooks";
import { describe, expect, it, vi } from "vitest";
import type { Outbox } from "../outbox.ts";
import { receiver, SECRETS } from "../testing/receiver-under-test.ts";
import { webhookSecret } from "./webhook-signature.ts";
import { startWebhooks, type Webhooks } from "./webhooks.ts";

const [FIRST = "", SECOND = ""] = SECRETS;
const RUN = "rn_05_01JD0000000000000000000001";
const ID = deliveryIdOf("run.ended", RUN, "ops");
// The package standardwebhooks compares the time with the real clock.
const START = Math.floor(new Date().getTime() / 1000) * 1000;

interface Options {
  readonly secrets?: readonly string[];
  readonly allowed?: boolean;
  readonly tenant?: string;
  /** The time from the change until its event is sent. */
  readonly inMs?: number;
  /** Returns the status of each answer. 0 means no answer. */
  readonly answer?: (count: number) => number;
}

/** Creates a service with one document and a clock that the test moves. The service sends an event for every change of the document. */
async function setup({ secrets = [FIRST], allowed = true, tenant, answer, inMs = 0 }: Options = {}) {
  const to = await receiver(answer);
  let now = START;
  let nonce = 0;
  const store = memoryStore({ clock: () => now });
  const lines: string[] = [];
  const note = (...line: unknown[]): void => void lines.push(JSON.stringify(line));
  const log: Log = { ...silentLog, info: note, warn: note, error: note };
  const target = {
    name: "ops",
    kind: "webhook" as const,
    url: new URL(to.url),
    secrets: secrets.map((secret) => webhookSecret(secret) ?? new Uint8Array()),
    events: new Set(["run.ended"] as const),
    ...(tenant === undefined ? {} : { tenant }),
  };
  const start = (): Webhooks =>
    startWebhooks({
      state: store,
      service: "agent",
      plan: { targets: [target], allowed: new Set(allowed ? [to.host] : []), retriesMs: [5000, 30_000] },
      webhookEventsIn: ({ put = [] }) =>
        put.filter(({ key }) => key === keys.run(RUN)).map(() => ({ event: "run.ended", subject: RUN, at: now + inMs, dueIn: inMs })),
      contentOf: async () => ({ tenant: "acme", data: { says: "it ended" } }),
      log,
      random: () => 0,
      newNonce: () => String(++nonce),
    });
  let webhooks = start();
  const plain: Outbox = { commit: (shard, change) => store.commit(shard, change), stop: async () => undefined };
  return {
    to,
    store,
    lines,
    start,
    tick: (ms: number) => void (now += ms),
    /** Returns a condition that is true if the attempt with this number has failed at the current time. */
    hasFailed: (attempts: number) => (delivery: WebhookDelivery | null) => delivery?.attempts === attempts && delivery.failedAt === now,
    /** Commits the change that causes the event. */
    async end(value: Json = { ended: true }) {
      const { documents } = await store.read([keys.run(RUN)]);
      const change = {
        op: `end:${now}`,
        guards: [{ key: keys.run(RUN), version: documents[0]?.version ?? 0 }],
        put: [{ key: keys.run(RUN), value }],
      };
      return webhooks.telling(plain).commit("05", change);
    },
    /** Stops the service and starts a new one, which knows only the store. */
    async restart() {
      await webhooks.stop();
      webhooks = start();
    },
    /** Handles the timers that are due now and returns their number. */
    async due(): Promise<number> {
      const rows = await store.claim("agent", "timer", { limit: 10, visibleAfter: 10_000 });
      for (const row of rows) await webhooks.onTimer(row);
      return rows.length;
    },
    again: (id: string) => webhooks.again(id),
    /** Waits until the condition is true and returns the delivery, or null if the delivery no longer exists. */
    async until(holds: (delivery: WebhookDelivery | null) => boolean): Promise<WebhookDelivery | null> {
      let delivery: WebhookDelivery | null = null;
      const read = async (): Promise<boolean> => {
        const { documents } = await store.read([keys.delivery("agent", ID)]);
        const parsed = parseWebhookDelivery(documents[0]?.value);
        delivery = parsed.ok ? parsed.value : null;
        return holds(delivery);
      };
      await vi.waitUntil(read, { timeout: 30_000, interval: 1 });
      return delivery;
    },
    async listed(): Promise<readonly string[]> {
      return (await store.page(keys.failedDeliveries("agent"), { limit: 10 })).members.map(({ member }) => member);
    },
    async [Symbol.asyncDispose]() {
      await webhooks.stop();
      await to[Symbol.asyncDispose]();
      await store.close();
    },
  };
}

const isGone = (delivery: WebhookDelivery | null): boolean => delivery === null;

describe("webhooks", () => {
  it("report what was committed, signed so that the package standardwebhooks accepts it by either of two secrets", async () => {
    await using t = await setup({ secrets: [FIRST, SECOND] });
    await t.end();
    await t.due();
    const { headers, body } = await t.to.next();
    const reported = { type: "run.ended", timestamp: new Date(START).toISOString(), data: { says: "it ended" } };
    for (const secret of [FIRST, SECOND]) expect(new Webhook(secret).verify(body, headers as Record<string, string>)).toEqual(reported);
    expect([headers["webhook-id"], headers["content-type"]]).toEqual([ID, "application/json"]);
    await t.until(isGone);
    t.tick(86_400_000);
    expect(await t.due()).toBe(0);
  });

  it("are sent again by the next process if theirs is killed between the commit and the delivery, or in an attempt", async () => {
    await using t = await setup({ answer: (count) => (count === 1 ? 0 : 204) });
    await t.end();
    await t.restart();
    expect(t.to.count).toBe(0);
    await t.due();
    const cut = await t.to.next();
    await t.restart();
    expect(await t.due()).toBe(0);
    t.tick(15_000);
    await t.due();
    const reported = await t.to.next();
    expect([reported.headers["webhook-id"], reported.body]).toEqual([cut.headers["webhook-id"], cut.body]);
    await t.until(isGone);
    expect(t.to.count).toBe(2);
  });

  it("that are not accepted are sent again by the ladder under the same id, then given up in a list from which an operator sends them again", async () => {
    let well = false;
    await using t = await setup({ answer: () => (well ? 200 : 500) });
    await t.end();
    const ids = new Set<unknown>();
    for (const [attempt, wait] of [5000, 30_000, null].entries()) {
      expect(await t.due()).toBe(1);
      ids.add((await t.to.next()).headers["webhook-id"]);
      await t.until(t.hasFailed(attempt + 1));
      t.tick((wait ?? 86_400_000) - 1);
      if (wait !== null) expect(await t.due()).toBe(0);
      t.tick(1);
    }
    expect(await t.until((delivery) => delivery?.state === "failed")).toMatchObject({ attempts: 3, reason: "it answered 500" });
    expect([await t.due(), await t.listed(), ids.size]).toEqual([0, [ID], 1]);
    expect(t.lines.filter((line) => line.includes("was given up"))).toHaveLength(1);

    well = true;
    expect(await t.again(ID)).toBe(true);
    expect(await t.again(ID)).toBe(false);
    await t.due();
    expect((await t.to.next()).headers["webhook-id"]).toBe(ID);
    await t.until(isGone);
    expect(await t.listed()).toEqual([]);
    for (const line of t.lines)
      for (const secret of [FIRST.slice(6), "in-the-address", "what the target says"]) expect(line).not.toContain(secret);
  });

  it("are not sent to this machine unless the operator allows it, and follow no redirect", async () => {
    await using inside = await setup({ allowed: false });
    await inside.end();
    await inside.due();
    expect(await inside.until(inside.hasFailed(1))).toMatchObject({ reason: "its address is not https, and its host is not allowed" });
    expect(inside.to.count).toBe(0);
    await using moved = await setup({ answer: () => 302 });
    await moved.end();
    await moved.due();
    expect(await moved.until(moved.hasFailed(1))).toMatchObject({ reason: "it answered 302; redirects are not followed" });
    expect(moved.to.count).toBe(1);
  });

  it("are given up at once if the target says that it is gone, and it gets nothing else", async () => {
    await using t = await setup({ answer: () => 410 });
    await t.end();
    await t.due();
    expect(await t.until((delivery) => delivery?.state === "gone")).toMatchObject({ attempts: 1, reason: "it answered 410: it is gone" });
    t.tick(1);
    await t.end({ ended: "again" });
    await t.due();
    await t.until((delivery) => delivery?.state === "gone");
    expect([t.to.count, await t.listed()]).toEqual([1, [ID]]);
  });

  it("of another tenant are not sent", async () => {
    await using t = await setup({ tenant: "other" });
    await t.end();
    await t.due();
    await t.until(isGone);
    expect(t.to.count).toBe(0);
  });

  it("are sent by one of two processes that find them due at once", async () => {
    await using t = await setup();
    await t.end();
    const rows = await t.store.claim("agent", "timer", { limit: 1, visibleAfter: 1 });
    const two = [t.start(), t.start()];
    await Promise.all(two.flatMap((webhooks) => rows.map((row) => webhooks.onTimer(row))));
    await t.until(isGone);
    await Promise.all(two.map((webhooks) => webhooks.stop()));
    expect(t.to.count).toBe(1);
  });

  it("are not sent early, although a store that was restarted makes their timer due", async () => {
    await using t = await setup({ inMs: 60_000 });
    await t.end();
    expect(await t.start().onTimer({ shard: "05", id: `hook:${ID}`, due: START })).toBe(true);
    t.tick(59_999);
    expect([await t.due(), t.to.count]).toEqual([0, 0]);
    t.tick(1);
    await t.due();
    await t.until(isGone);
    expect(t.to.count).toBe(1);
  });

  it("leave every other timer of their service alone", async () => {
    await using t = await setup();
    expect(await t.start().onTimer({ shard: "05", id: `run:${RUN}`, due: START })).toBe(false);
  });
});
