import { mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { deliveryIdOf, type DeliveryView, keys, parseWebhookDelivery, type WebhookEvent } from "@toolbus/contracts";
import { describe, expect, it } from "vitest";
import { setup, until } from "../../testing/approvals-under-test.ts";
import { mailServer, type MailServerRules } from "../../testing/mail-server-under-test.ts";
import { bigRefund } from "../../testing/writes-under-test.ts";

/** An approvals service that notifies people by e-mail, through a real mail server on this machine. */
async function told(rules: MailServerRules = {}, env: Readonly<Record<string, string>> = {}) {
  const server = await mailServer(rules);
  const folder = await mkdtemp(path.join(os.tmpdir(), "mails-"));
  const file = path.join(folder, "targets.json");
  const events = ["approval.held", "approval.reminder", "approval.ended"];
  const people = { from: "toolbus@example.com", to: ["ana@example.com"], events, tenant: "acme" };
  const team = { name: "team", kind: "email", host: "127.0.0.1", port: server.port, tls: "none", ...people };
  await writeFile(file, JSON.stringify({ targets: [team] }), { mode: 0o600 });
  const allowed = { WEBHOOKS_FILE: file, WEBHOOK_ALLOWED_HOSTS: `127.0.0.1:${server.port}`, WEBHOOK_RETRIES_S: "5,5" };
  const t = await setup({ env: { ...allowed, ...env } });
  return {
    t,
    server,
    subjects: () => server.mails.map(({ raw }) => /^Subject: \[Toolbus\] ([^:]+):/m.exec(raw)?.[1]),
    /** Waits until the delivery of this event has ended. */
    async settled(event: WebhookEvent, id: string): Promise<void> {
      await until(async () => (await t.store.read([keys.delivery("approvals", deliveryIdOf(event, id, "team"))])).documents[0] === null);
    },
    /** Waits until an attempt for this event has failed, and then until its retry is due. */
    async retried(event: WebhookEvent, id: string): Promise<void> {
      await until(async () => {
        const { documents } = await t.store.read([keys.delivery("approvals", deliveryIdOf(event, id, "team"))]);
        const read = parseWebhookDelivery(documents[0]?.value);
        return read.ok && read.value.failedAt !== undefined;
      });
      t.clock.now += 6000;
    },
    async givenUp(): Promise<readonly DeliveryView[]> {
      return (await t.get("otto", "/v1/webhooks")).body["deliveries"] as unknown as readonly DeliveryView[];
    },
    async [Symbol.asyncDispose]() {
      await t[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
      await rm(folder, { recursive: true });
    },
  };
}

describe("people who are told by e-mail", () => {
  it("get a mail when a write is held, when half of its time is over, and when it has ended", async () => {
    await using s = await told();
    const id = await s.t.hold(bigRefund(1));
    await s.settled("approval.held", id);
    s.t.clock.now += 450_000;
    await s.settled("approval.reminder", id);
    await s.t.decide("amy", id, "deny");
    await until(async () => s.server.mails.length === 3);
    expect(s.subjects()).toEqual(["waits for a decision", "still waits", "rejected"]);
  });

  it("get it although the server first refuses it for now, and although it cannot be reached for a while", async () => {
    await using s = await told({ recipient: (_, count) => (count === 1 ? 451 : 0) }, { APPROVAL_REMINDER_PERCENT: "0" });
    await s.retried("approval.held", await s.t.hold(bigRefund(1)));
    await until(async () => s.server.mails.length === 1);
    expect(s.server.count).toBe(2);
    await s.server[Symbol.asyncDispose]();
    const second = await s.t.hold(bigRefund(2));
    await using again = await s.retried("approval.held", second).then(() => mailServer({ port: s.server.port }));
    await until(async () => again.mails.length === 1);
    expect(await s.givenUp()).toEqual([]);
  });

  it("get nothing through a server that refuses it for good: an operator sees the given-up mail at once, and can send it again", async () => {
    let refuses = true;
    await using s = await told({ recipient: () => (refuses ? 550 : 0) }, { APPROVAL_REMINDER_PERCENT: "0" });
    const id = await s.t.hold(bigRefund(1));
    await until(async () => (await s.givenUp()).length === 1);
    const [given] = await s.givenUp();
    expect(given).toMatchObject({ channel: "email", target: "team", attempts: 1, state: "failed", reason: "it refused the mail (550)" });
    refuses = false;
    expect((await s.t.request("otto", `/v1/webhooks/${given?.id ?? ""}/send`, { method: "POST" })).status).toBe(202);
    await until(async () => s.server.mails.length === 1);
    expect(s.server.mails[0]?.raw).toContain(id.slice(0, 40));
  });

  it("are not asked for a write that has ended before its mail could be sent, and get the mail of its end after a restart", async () => {
    let refuses = true;
    await using s = await told({ recipient: () => (refuses ? 451 : 0) }, { APPROVAL_REMINDER_PERCENT: "0" });
    const id = await s.t.hold(bigRefund(1));
    await s.retried("approval.held", id);
    await s.t.decide("amy", id, "approve");
    await s.retried("approval.ended", id);
    refuses = false;
    await s.t.restart();
    await until(async () => s.server.mails.length > 0);
    expect(s.subjects()).toEqual(["approved"]);
  });
});
