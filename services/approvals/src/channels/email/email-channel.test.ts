import { type ApprovalView, deliveryIdOf, type WebhookEvent } from "@toolbus/contracts";
import type { AttemptOutcome, EmailTarget, ResolveName } from "@toolbus/runtime";
import { describe, expect, it } from "vitest";
import { viewOf } from "../../decisions/view.ts";
import { setup } from "../../testing/approvals-under-test.ts";
import { MAIL_CERT } from "../../testing/mail-certificate.ts";
import { mailServer, type MailServerRules } from "../../testing/mail-server-under-test.ts";
import { bigRefund, refund, START } from "../../testing/writes-under-test.ts";
import { emailChannel } from "./email-channel.ts";

const TO = ["ana@example.com", "ben@example.com"];

interface Attempt {
  readonly event?: WebhookEvent;
  /** The round of an event about a write with a plan. */
  readonly round?: number;
  readonly view?: Partial<ApprovalView>;
  /** Whether the certificate of the server is trusted. */
  readonly trusts?: boolean;
  readonly withinMs?: number;
  readonly resolve?: ResolveName;
}

/** A real mail server, an approval, and the channel that tells people about it. */
async function mailed(rules: MailServerRules = {}, view?: Partial<ApprovalView>) {
  const server = await mailServer(rules);
  const target: EmailTarget = {
    kind: "email",
    name: "team",
    host: "127.0.0.1",
    port: server.port,
    tls: "starttls",
    allowed: true,
    from: "toolbus@example.com",
    to: TO,
    events: new Set(["approval.held"]),
  };
  const data = { ...(await anApproval()), ...view };
  return {
    server,
    send(
      part: Partial<EmailTarget> = {},
      { event = "approval.held", round, view: now = {}, trusts = true, withinMs = 10_000, resolve }: Attempt = {},
    ): Promise<AttemptOutcome> {
      const deliveryId = deliveryIdOf(event, data.id, "team", round);
      const publicUrl = "https://approvals.example.com/";
      return emailChannel({ publicUrl, ...(trusts ? { ca: MAIL_CERT } : {}), ...(resolve ? { resolve } : {}) }).send({
        target: { ...target, ...part },
        delivery: { deliveryId, event, subject: data.id, target: "team", channel: "email", at: START, attempts: 1, state: "waiting" },
        content: { tenant: "acme", data: { ...data, ...now } },
        now: START,
        signal: AbortSignal.timeout(withinMs),
      });
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

const tool = { ...refund, effect: "Refund ${amount} for <b>{order}</b>." };

async function anApproval(): Promise<ApprovalView> {
  await using t = await setup({ tools: [tool] });
  return viewOf(await t.stored(await t.hold({ ...bigRefund(1), tool })));
}

/** Returns a mail without the transfer encoding of its parts. */
function decoded(raw: string): string {
  const bytes = raw
    .replaceAll("=\r\n", "")
    .replaceAll(/(?:=[0-9A-F]{2})+/g, (codes) => Buffer.from(codes.replaceAll("=", ""), "hex").toString());
  return bytes.replaceAll(/\r\n[ \t]+/g, " ");
}

describe("an e-mail about an approval", () => {
  it("shows the card as text and as escaped HTML, with a link to the page, and forms a thread", async () => {
    await using s = await mailed();
    expect(await s.send()).toEqual({ kind: "delivered" });
    expect(await s.send({}, { event: "approval.ended" })).toEqual({ kind: "delivered" });
    const [first, last] = s.server.mails;
    expect(first).toMatchObject({ from: "toolbus@example.com", to: TO, secure: true });
    const shown = decoded(first?.raw ?? "");
    for (const part of ["Subject: [Toolbus] waits for a decision: Refund $149.99 for", "Auto-Submitted: auto-generated", "order: ORD-8821"])
      expect(shown).toContain(part);
    expect(shown).toContain("https://approvals.example.com/approvals/ap_rn_03_01HZX3V5J8K2M4N6P8Q0R2S4T7.1.0");
    expect(shown).toContain("<strong>Refund $149.99 for &#60;b&#62;ORD-8821&#60;/b&#62;.</strong>");
    const [, id = ""] = /^Message-ID: (<wh_.+@example\.com>)/m.exec(shown) ?? [];
    expect(decoded(last?.raw ?? "")).toContain(`In-Reply-To: ${id}`);
    await s.send();
    expect(s.server.mails[2]?.raw).toContain(id);
  });

  it("replies to the mail about the first plan, if the write has one", async () => {
    await using s = await mailed();
    const about = (round: number) => ({ view: { plan: { round, hash: `sha256-${"A".repeat(43)}`, at: START, changes: [] } } });
    await s.send({}, { round: 1, ...about(1) });
    await s.send({}, { event: "approval.reminder", ...about(1) });
    await s.send({}, { round: 2, ...about(2) });
    await s.send({}, { event: "approval.ended", round: 2, ...about(2) });
    const [first, ...later] = s.server.mails.map(({ raw }) => decoded(raw));
    const [, id = ""] = /^Message-ID: (<wh_.+@example\.com>)/m.exec(first ?? "") ?? [];
    expect(first).not.toContain("In-Reply-To");
    for (const mail of later) {
      expect(mail).toContain(`In-Reply-To: ${id}`);
      expect(/^References: (.+)$/m.exec(mail)?.[1]).toContain(id);
    }
    expect(new Set([first, ...later].map((mail) => /^Message-ID: (.+)$/m.exec(mail ?? "")?.[1])).size).toBe(4);
  });

  it("keeps every line of a card in the body, so that no text becomes a header or another address", async () => {
    const effect = "Refund\r\nBcc: eve@example.com\r\n\r\n<script>\u2028";
    await using s = await mailed({}, { effect });
    await s.send();
    const [mail] = s.server.mails;
    expect(mail?.to).toEqual(TO);
    const [head = ""] = (mail?.raw ?? "").split("\r\n\r\n");
    expect(head).not.toMatch(/^bcc:/im);
    const [, html = ""] = decoded(mail?.raw ?? "").split("<!doctype html>");
    expect(html).toContain("&#60;script&#62;");
    expect(html).not.toContain("<script>");
  });

  it("is sent only over TLS to a server whose certificate is trusted, unless the operator decides otherwise", async () => {
    await using plain = await mailed({ offersTls: false });
    expect(await plain.send()).toEqual({ kind: "failed", reason: "no TLS connection to it is possible" });
    expect(plain.server.mails).toEqual([]);
    expect(await plain.send({ tls: "none" })).toEqual({ kind: "delivered" });
    expect(plain.server.mails).toMatchObject([{ secure: false }]);
    await using s = await mailed();
    expect(await s.send({}, { trusts: false })).toEqual({
      kind: "failed",
      reason: "it could not be reached (DEPTH_ZERO_SELF_SIGNED_CERT)",
    });
    expect(s.server.mails).toEqual([]);
  });

  it("uses the login of the file, and says if the server refuses it", async () => {
    await using s = await mailed({ password: "right" });
    expect(await s.send({ login: { user: "toolbus", password: "right" } })).toEqual({ kind: "delivered" });
    expect(s.server.mails).toMatchObject([{ user: "toolbus", secure: true }]);
    expect(await s.send({ login: { user: "toolbus", password: "wrong" } })).toEqual({
      kind: "refused",
      reason: "it refused the login (535)",
    });
  });

  it.each<[string, number, string, AttemptOutcome]>([
    ["all addresses for good", 550, "@", { kind: "refused", reason: "it refused the mail (550)" }],
    ["all addresses for now", 451, "@", { kind: "failed", reason: "it answered 451" }],
    ["one address for good", 550, "ben", { kind: "refused", reason: "it refused 1 of 2 addresses (550)" }],
    ["one address for now", 451, "ben", { kind: "failed", reason: "it refused 1 of 2 addresses (451)" }],
  ])("is retried or given up as the server says: it refuses %s", async (_, status, who, outcome) => {
    await using s = await mailed({ recipient: (address) => (address.includes(who) ? status : 0) });
    expect(await s.send()).toEqual(outcome);
  });

  it("is retried if the server refuses several addresses and one of them only for now", async () => {
    await using s = await mailed({ recipient: (address) => (address.includes("ana") ? 550 : address.includes("ben") ? 451 : 0) });
    expect(await s.send({ to: [...TO, "eve@example.com"] })).toEqual({ kind: "failed", reason: "it refused 2 of 3 addresses (451)" });
  });

  it("fails if the server cannot be reached, does not answer in time, or is in a private network that nobody named", async () => {
    await using s = await mailed({ silent: true });
    expect(await s.send({ port: 1 })).toEqual({ kind: "failed", reason: "it could not be reached (ECONNREFUSED)" });
    const resolve: ResolveName = (_name, _options, done) => done(null, [{ address: "127.0.0.1", family: 4 }]);
    const inside = { host: "mail.example.com", allowed: false };
    expect(await s.send(inside, { resolve })).toEqual({
      kind: "failed",
      reason: "the name mail.example.com has the address 127.0.0.1, which is not public, and is not allowed",
    });
    expect(s.server.count).toBe(0);
    expect(await s.send({ tls: "none" }, { withinMs: 300 })).toEqual({ kind: "failed", reason: "it did not answer within 10 s" });
    expect(s.server.count).toBe(1);
  });
});
