import type { Json } from "@toolbus/contracts";
import { attributes, message } from "@toolbus/contracts";
import { describe, expect, it } from "vitest";
import { ownKeys } from "./own-keys.ts";
import { signDocument, verifyDocument } from "./signed-document.ts";
import { signMessage, verifySender } from "./signed-message.ts";
import { signedReader } from "./signed-reader.ts";

const own = await ownKeys(["gateway", "approvals", "agent"]);
const { signer } = own.identityOf("approvals");
const keys = own.trusted.of("approvals");
const KEY = "tb:pin:{00}:pay";
const pin = { toolset: "orders", hash: "sha256-x", enabled: true };

describe("a signed document", () => {
  it("is genuine under its key, by its writer and as its kind", async () => {
    const value: Json = JSON.parse(JSON.stringify(await signDocument("tb-pin+jwt", { key: KEY, revision: 2, content: pin }, signer)));
    expect(await verifyDocument("tb-pin+jwt", { key: KEY, value }, keys)).toMatchObject({ kind: "genuine", revision: 2 });
    expect(await verifyDocument("tb-era+jwt", { key: KEY, value }, keys)).toMatchObject({ kind: "forged" });
    expect(await verifyDocument("tb-pin+jwt", { key: "tb:pin:{00}:refund", value }, keys)).toMatchObject({ kind: "forged" });
    expect(await verifyDocument("tb-pin+jwt", { key: KEY, value }, own.trusted.of("gateway"))).toMatchObject({ kind: "unknown_key" });
  });

  it("is forged when any part of it was changed, and unsigned without a signature", async () => {
    const signed = await signDocument("tb-pin+jwt", { key: KEY, revision: 2, content: pin }, signer);
    for (const change of [{ enabled: false }, { revision: 3 }, { more: 1 }, { signature: "a.b.c" }, { signature: 1 }])
      expect([change, await verifyDocument("tb-pin+jwt", { key: KEY, value: { ...signed, ...change } as Json }, keys)]).toMatchObject([
        change,
        { kind: "forged" },
      ]);
    for (const value of [pin, null, [], "text"])
      expect(await verifyDocument("tb-pin+jwt", { key: KEY, value }, keys)).toMatchObject({ kind: "unsigned" });
  });
});

describe("a reader of signed documents", () => {
  it("refuses an older revision than it has seen, and a changed text under a revision that it knows", async () => {
    const reader = signedReader({ typ: "tb-pin+jwt", keys });
    const older = await signDocument("tb-pin+jwt", { key: KEY, revision: 1, content: pin }, signer);
    const newer = await signDocument("tb-pin+jwt", { key: KEY, revision: 2, content: { ...pin, enabled: false } }, signer);
    expect(await reader.read(KEY, older)).toMatchObject({ kind: "genuine", revision: 1 });
    expect(await reader.read(KEY, newer)).toMatchObject({ kind: "genuine", revision: 2 });
    expect(await reader.read(KEY, older)).toMatchObject({ kind: "older" });
    expect(await reader.read(KEY, { ...newer, enabled: true })).toMatchObject({ kind: "forged" });
    expect(await reader.read(KEY, newer)).toMatchObject({ kind: "genuine" });
  });

  it("no longer trusts what a key signed that was removed", async () => {
    const known = { there: true };
    const reader = signedReader({ typ: "tb-pin+jwt", keys: { find: async (kid) => (known.there ? keys.find(kid) : null) } });
    const value = await signDocument("tb-pin+jwt", { key: KEY, revision: 1, content: pin }, signer);
    expect(await reader.read(KEY, value)).toMatchObject({ kind: "genuine" });
    known.there = false;
    expect(await reader.read(KEY, value)).toMatchObject({ kind: "unknown_key" });
  });
});

describe("a signed message", () => {
  const sent = message({
    id: "cancel:1",
    topic: "approval.cancel",
    type: "t",
    source: "/agents/default",
    now: 0,
    correlationId: "c",
    body: { n: 1 },
  });

  it("is its sender's, also when an operator replays it under another id and time", async () => {
    const signed = await signMessage(sent, own.identityOf("agent"));
    expect(await verifySender(signed, own.trusted)).toEqual({ kind: "genuine", service: "agent" });
    expect(await verifySender({ ...signed, id: "cancel:1#replay1", time: "2026-11-22T00:00:00Z" }, own.trusted)).toMatchObject({
      kind: "genuine",
    });
  });

  it.each([
    '{"n":1,"n":2}',
    '{"n":1,"\\u006e":2}',
    '{"n":{"losses":[],"losses":[1]}}',
    '{"__proto__":{"n":1}}',
    '{"n":9007199254740993}',
    '{"n":"\\ud800"}',
    "no JSON",
  ])("is refused if two readers could read its body differently, although its sender signed exactly these bytes: %s", async (body) => {
    const signed = await signMessage({ ...sent, body }, own.identityOf("agent"));
    expect(await verifySender(signed, own.trusted)).toEqual({ kind: "forged", detail: "its body can be read in more than one way" });
  });

  it("is its sender's with a body of any spacing and order that every reader reads alike", async () => {
    const signed = await signMessage({ ...sent, body: ' { "b" : [ { "n" : 1 }, { "n" : 2 } ] ,\n"a":{"n":3} } ' }, own.identityOf("agent"));
    expect(await verifySender(signed, own.trusted)).toEqual({ kind: "genuine", service: "agent" });
  });

  it("is refused with another grant, or if its grant was added or removed", async () => {
    const granted = { ...sent, attributes: { ...sent.attributes, [attributes.grant]: "g" } };
    const signed = await signMessage(granted, own.identityOf("agent"));
    expect(await verifySender(signed, own.trusted)).toEqual({ kind: "genuine", service: "agent" });
    const { [attributes.grant]: _, ...without } = signed.attributes;
    const bare = await signMessage(sent, own.identityOf("agent"));
    const forged = [
      { ...signed, attributes: { ...signed.attributes, [attributes.grant]: "h" } },
      { ...signed, attributes: without },
      { ...bare, attributes: { ...bare.attributes, [attributes.grant]: "g" } },
    ];
    for (const one of forged) expect(await verifySender(one, own.trusted)).toMatchObject({ kind: "forged" });
  });

  it("is refused if body, topic, correlation or sender differ, or if it has no signature", async () => {
    const signed = await signMessage(sent, own.identityOf("agent"));
    const forged = [
      { ...signed, body: '{"n":2}' },
      { ...signed, topic: "approval.rollback" },
      { ...signed, correlationId: "d" },
      { ...signed, type: "u" },
    ];
    for (const one of forged) expect(await verifySender(one, own.trusted)).toMatchObject({ kind: "forged" });
    const asGateway = { ...signed, attributes: { ...signed.attributes, [attributes.sender]: "gateway" } };
    expect(await verifySender(asGateway, own.trusted)).toMatchObject({ kind: "unknown_key" });
    expect(await verifySender(sent, own.trusted)).toMatchObject({ kind: "unsigned" });
    expect(
      await verifySender({ ...signed, attributes: { ...signed.attributes, [attributes.sender]: "stranger" } }, own.trusted),
    ).toMatchObject({ kind: "unknown_key" });
  });
});
