import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import os from "node:os";
import path from "node:path";
import { type DeliveryView, type JsonObject, parser, WEBHOOK_BODIES, WEBHOOK_EVENTS, type WebhookEvent } from "@toolbus/contracts";
import { Webhook } from "standardwebhooks";
import { describe, expect, it } from "vitest";
import { setup, until } from "../testing/approvals-under-test.ts";
import { bigRefund, bigWire, smallRefund } from "../testing/writes-under-test.ts";

const SECRETS = [1, 2].map((n) => `whsec_${Buffer.alloc(32, n).toString("base64")}`);

/** A real HTTP target and a service that notifies it. `down` makes the target answer 500. */
async function reported(
  env: Readonly<Record<string, string>> = {},
  { policy, events = WEBHOOK_EVENTS }: { readonly policy?: string; readonly events?: readonly WebhookEvent[] } = {},
) {
  const arrived: { readonly headers: IncomingHttpHeaders; readonly body: string }[] = [];
  const target = { down: false };
  const server = createServer((request, reply) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      if (!target.down) arrived.push({ headers: request.headers, body: Buffer.concat(chunks).toString() });
      reply.writeHead(target.down ? 500 : 204).end();
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const folder = await mkdtemp(path.join(os.tmpdir(), "told-"));
  const file = path.join(folder, "webhooks.json");
  const ops = { name: "ops", url: `http://${host}/hook`, secrets: SECRETS, events, tenant: "acme" };
  await writeFile(file, JSON.stringify({ targets: [ops] }), { mode: 0o600 });
  const t = await setup({
    env: { WEBHOOKS_FILE: file, WEBHOOK_ALLOWED_HOSTS: host, WEBHOOK_RETRIES_S: "5", ...env },
    ...(policy === undefined ? {} : { policy }),
  });
  return {
    t,
    target,
    arrived,
    /**
     * Returns the next notification and checks its signature as a receiver does. The package for webhooks compares the time with the real clock, so
     * this check leaves out the time.
     */
    async next(): Promise<{ readonly id: string; readonly type: WebhookEvent; readonly data: JsonObject }> {
      await until(async () => arrived.length > 0);
      const { headers, body } = arrived.shift() ?? { headers: {}, body: "" };
      const id = String(headers["webhook-id"]);
      const at = new Date(Number(headers["webhook-timestamp"]) * 1000);
      const given = String(headers["webhook-signature"]).split(" ");
      expect(given).toEqual(SECRETS.map((secret) => new Webhook(secret).sign(id, at, body)));
      const read = JSON.parse(body);
      expect(parser(WEBHOOK_BODIES[read.type as WebhookEvent])(read)).toMatchObject({ ok: true });
      return { id, type: read.type, data: read.data };
    },
    async [Symbol.asyncDispose]() {
      await t[Symbol.asyncDispose]();
      server.closeAllConnections();
      server.close();
      await rm(folder, { recursive: true });
    },
  };
}

describe("what waits for people", () => {
  it("has the address of the approval's page, if an operator has said where people open it", async () => {
    await using told = await reported({ APPROVALS_PUBLIC_URL: "https://approvals.example.com" });
    const id = await told.t.hold(bigRefund(1));
    expect((await told.next()).data["links"]).toMatchObject({ page: `https://approvals.example.com/approvals/${id}` });
    await told.t.decide("amy", id, "deny");
    expect((await told.next()).data["links"]).toMatchObject({ page: `https://approvals.example.com/approvals/${id}` });
  });

  it("is reported when it is held, when half of its time is over, and when it has ended, as the API shows it", async () => {
    await using s = await reported();
    const { t } = s;
    const id = await t.hold(bigWire(1));
    const held = await s.next();
    expect(held).toMatchObject({ type: "approval.held", data: { id, status: "pending", requester: "rita", decisions: [] } });
    await t.decide("amy", id, "approve", { ticket: "CHG-1" });
    t.clock.now += 450_000;
    const reminder = await s.next();
    expect(reminder).toMatchObject({ type: "approval.reminder", data: { id, status: "pending", decisions: [{ approver: "amy" }] } });
    await t.decide("ben", id, "approve");
    const ended = await s.next();
    const { body } = await t.get("otto", `/v1/approvals/${id}`);
    const { mayDecide: _, mayNotBecause: __, ...shown } = body;
    expect([ended.type, ended.data]).toEqual(["approval.ended", shown]);
    expect(new Set([held.id, reminder.id, ended.id]).size).toBe(3);
    expect(held.data).not.toHaveProperty("decisionToken");
  });

  it("is reported in its earlier state when its target comes back, although it has ended in the meantime; no reminder is sent then", async () => {
    await using s = await reported();
    const { t, target } = s;
    target.down = true;
    const id = await t.hold(bigRefund(1));
    await t.decide("amy", id, "deny");
    await until(async () => (await t.store.claim("approvals", "timer", { limit: 9, visibleAfter: 1 })).length === 0);
    target.down = false;
    t.clock.now += 450_000;
    const both = [await s.next(), await s.next()];
    expect(Object.fromEntries(both.map(({ type, data }) => [type, data["status"]]))).toEqual({
      "approval.held": "pending",
      "approval.ended": "rejected",
    });
    await until(async () => (await t.store.claim("approvals", "timer", { limit: 9, visibleAfter: 1 })).length === 0);
    expect(s.arrived).toEqual([]);
  });

  it("is escalated to the targets that the policy names, although they subscribe to nothing of it, and not after it was decided", async () => {
    const policy =
      "version: 1\ntiers:\n  critical: { remind: 0, escalate: { after: 75, to: [ops] } }\n  high: { remind: 25, expires: 1h, escalate: { after: 50, to: [ops] } }\n";
    await using s = await reported({}, { policy, events: ["approval.reminder"] });
    const { t } = s;
    // A target may get a webhook twice, under one id.
    const seen = new Map<string, string>();
    const next = async (): Promise<string> => {
      const { id: webhook, type, data } = await s.next();
      if (seen.has(webhook)) return next();
      seen.set(webhook, `${type} ${data["id"] as string}`);
      return seen.get(webhook) ?? "";
    };
    const decided = await t.hold(bigRefund(1));
    await t.decide("amy", decided, "approve");
    const id = await t.hold(bigWire(2));
    t.clock.now += 675_000;
    expect(await next()).toBe(`approval.escalated ${id}`);
    const waiting = await t.hold(bigRefund(3));
    t.clock.now += 900_000;
    expect(await next()).toBe(`approval.reminder ${waiting}`);
    t.clock.now += 900_000;
    expect(await next()).toBe(`approval.escalated ${waiting}`);
    expect([...seen.values()].join()).not.toContain(decided);
  });

  it("is reported by the next process when the first one is gone; writes that policy decides are not reported", async () => {
    await using s = await reported({ POLL_MS: "3600000" });
    const { t } = s;
    await t.ask(smallRefund(1));
    const id = await t.hold(bigRefund(2));
    expect(s.arrived).toEqual([]);
    await t.restart();
    expect(await s.next()).toMatchObject({ type: "approval.held", data: { id } });
  });

  it("is decided although its target accepts nothing; deliveries that were given up are in the operator's list and can be sent again", async () => {
    await using s = await reported({ APPROVAL_REMINDER_PERCENT: "0" });
    const { t, target } = s;
    target.down = true;
    const id = await t.hold(bigRefund(1));
    const list = async (who: "otto" | "oda") => (await t.get(who, "/v1/webhooks")).body["deliveries"] as unknown as readonly DeliveryView[];
    await until(async () => {
      t.clock.now += 1000;
      return (await list("otto")).length === 1;
    });
    expect(await t.decide("amy", id, "approve")).toMatchObject({ status: 200 });
    const [failed] = await list("otto");
    expect(failed).toMatchObject({
      event: "approval.held",
      subject: id,
      target: "ops",
      attempts: 2,
      state: "failed",
      reason: "it answered 500",
    });
    expect(await list("oda")).toEqual([]);
    target.down = false;
    const send = `/v1/webhooks/${failed?.id ?? ""}/send`;
    expect((await t.request("oda", send, { method: "POST" })).status).toBe(404);
    expect((await t.request("otto", send, { method: "POST" })).status).toBe(202);
    await until(async () => {
      t.clock.now += 1000;
      return s.arrived.some(({ headers }) => headers["webhook-id"] === failed?.id);
    });
    await until(async () => (await list("otto")).length === 0);
  });
});
