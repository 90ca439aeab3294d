import { randomBytes } from "node:crypto";
import { consumeQueue, memoryBus } from "@toolbus/bus";
import {
  attributes,
  GRANT_ISSUER,
  grantAudience,
  type JsonObject,
  message,
  messageIds,
  messageTypes,
  parser,
  type Plan,
  type Tier,
  type ToolResult,
  ToolAnswer,
  topics,
} from "@toolbus/contracts";
import { startShop } from "@toolbus/example-orders-shop";
import {
  argumentsHash,
  canonicalJson,
  generateSigningKey,
  planHash,
  publicKeySet,
  signerOf,
  signGrant,
  staticKeySet,
  toolHash,
} from "@toolbus/grants";
import { memoryStore } from "@toolbus/state";
import { silentLog } from "@toolbus/telemetry";
import { readResult, startWorker, workerTimings } from "@toolbus/tool-kit";
import { describe, expect, it } from "vitest";
import { orders } from "./orders.ts";
import { shopAt } from "./shop/shop-at.ts";

const RUN = "rn_00_01JD0000000000000000000001";
const CONVERSATION = "cv_00_01JD0000000000000000000001";
const parseAnswer = parser(ToolAnswer);

interface Granted {
  readonly tier?: Tier;
  readonly approvers?: readonly string[];
  readonly dispatch?: number;
  /** The plan that people approved. */
  readonly plan?: Plan;
}

/** Starts a worker without a broker, and the real shop behind it. The shop loses its answer to the first change of the given table. */
async function setup({ loses = "" } = {}) {
  let lost = 0;
  const shop = await startShop({
    directory: null,
    clock: () => Date.now(),
    losesAnswerTo: (effect) => effect === loses && lost++ === 0,
  });
  const toolset = orders(shopAt(shop.url));
  const bus = memoryBus({});
  const state = memoryStore({ clock: () => Date.now() });
  const key = await generateSigningKey();
  const signer = await signerOf(key);
  const worker = await startWorker({
    toolset,
    bus,
    state,
    keys: staticKeySet(publicKeySet([key])),
    signer: await signerOf(await generateSigningKey()),
    log: silentLog,
    clock: () => Date.now(),
    monotonic: () => performance.now(),
    random: (bytes) => randomBytes(bytes),
    timings: { ...workerTimings, retryMs: [1] },
  });
  const waiting = new Map<string, (result: ToolResult) => void>();
  await consumeQueue(bus, {
    topic: topics.result("default"),
    concurrency: 1,
    deadlineMs: 5000,
    parse: parseAnswer,
    log: silentLog,
    clock: () => Date.now(),
    handler: async (sent) => {
      const read = readResult(sent);
      if (read.ok) waiting.get(read.value.callId)?.(read.value.result);
      return { kind: "ack" };
    },
  });

  /** Sends a call with a grant, as an agent does. Resolves with the answer. */
  async function call(
    index: number,
    tool: string,
    args: JsonObject,
    { tier = "medium", approvers = [], dispatch = 1, plan }: Granted = {},
  ) {
    const definition = toolset.list().find(({ definition: { name } }) => name === tool)?.definition;
    if (!definition) throw new Error(`There is no tool ${tool}.`);
    const callId = `${RUN}.1.${index}`;
    const text = canonicalJson(args);
    const now = Math.floor(Date.now() / 1000);
    const grant = await signGrant(
      {
        iss: GRANT_ISSUER,
        aud: grantAudience("orders"),
        jti: `ap_${callId}`,
        iat: now,
        nbf: now,
        exp: now + 900,
        era: 1,
        tenant: "t",
        runId: RUN,
        callId,
        tool: definition.name,
        toolVersion: definition.version,
        toolHash: toolHash(definition),
        argsHash: argumentsHash(text),
        tier,
        requester: "ada",
        approvers: approvers.map((sub) => ({ sub, at: now * 1000, via: "http" })),
        need: approvers.length,
        ...(plan === undefined ? {} : { plan: { round: 1, hash: planHash(plan) } }),
      },
      signer,
    );
    const answered = new Promise<ToolResult>((resolve) => waiting.set(callId, resolve));
    await bus.publish(
      message({
        id: messageIds.invoke(callId, dispatch),
        topic: topics.invoke("orders"),
        type: messageTypes.toolInvoke,
        source: "/test",
        now: Date.now(),
        correlationId: callId,
        replyTo: topics.result("default"),
        attributes: {
          ...(definition.kind === "write" ? { [attributes.grant]: grant } : {}),
          [attributes.callSecret]: "s",
          [attributes.dispatch]: dispatch,
          [attributes.notAfter]: Date.now() + 60_000,
        },
        body: { toolCallId: callId, toolName: tool, arguments: text, sessionId: CONVERSATION },
      }),
    );
    return answered;
  }
  const close = async (): Promise<void> => {
    await worker.stop();
    await bus.close();
    await state.close();
    await shop.stop();
  };
  return { shop, lost: () => lost, call, [Symbol.asyncDispose]: close };
}

const refund = (order: string, amount: number): JsonObject => ({ order, amount, reason: "Damaged." });

describe("the orders worker", () => {
  it("refunds once, with the call's id as key, however often the call is sent", async () => {
    await using bundle = await setup();
    const first = await bundle.call(0, "issue_refund", refund("ORD-8821", 20));
    const again = await bundle.call(0, "issue_refund", refund("ORD-8821", 20), { dispatch: 2 });
    expect(JSON.parse(first.content)).toEqual({ refund: "RF-1", order: "ORD-8821", amount: 20, currency: "EUR" });
    expect(again.content).toBe(first.content);
    expect(bundle.shop.effects().refunds).toHaveLength(1);
  });

  it("refunds nothing above 50 EUR that only policy has granted, and nothing above 1,000 EUR that one person approved", async () => {
    await using bundle = await setup();
    // A refused call receives no answer. The answer to the next call shows that the worker has skipped the refused calls.
    void bundle.call(1, "issue_refund", refund("ORD-8821", 80));
    void bundle.call(2, "issue_refund", refund("ORD-8830", 1001), { tier: "high", approvers: ["bo"] });
    await bundle.call(3, "issue_refund", refund("ORD-8822", 5));
    expect(bundle.shop.effects().refunds.map(({ order }) => order)).toEqual(["ORD-8822"]);
  });

  it("refunds what enough people have approved", async () => {
    await using bundle = await setup();
    expect(await bundle.call(0, "issue_refund", refund("ORD-8821", 80), { tier: "high", approvers: ["bo"] })).toMatchObject({
      status: "ok",
    });
    expect(await bundle.call(1, "issue_refund", refund("ORD-8830", 1001), { tier: "critical", approvers: ["bo", "cy"] })).toMatchObject({
      status: "ok",
    });
    expect(bundle.shop.effects().balances).toEqual({ "CUS-17": 80, "CUS-23": 12.5, "CUS-42": 1001 });
  });

  it("answers with every wrong field before anything is granted", async () => {
    await using bundle = await setup();
    const { content } = await bundle.call(3, "issue_refund", { order: "8821", amount: -1, reason: "x".repeat(201) });
    expect(JSON.parse(content)).toMatchObject({
      error: "invalid_arguments",
      details: [{ path: "/order" }, { path: "/amount" }, { path: "/reason" }],
    });
    expect(bundle.shop.effects().refunds).toEqual([]);
  });

  it("repeats a refund whose answer was lost, and one refund exists", async () => {
    await using bundle = await setup({ loses: "refunds" });
    const { status, content } = await bundle.call(0, "issue_refund", refund("ORD-8821", 20));
    expect({ status, lost: bundle.lost() > 0 }).toEqual({ status: "ok", lost: true });
    expect(content).toContain("RF-1");
    expect(bundle.shop.effects().refunds).toHaveLength(1);
  });

  it("asks for a ticket whose answer was lost, and creates no second one", async () => {
    await using bundle = await setup({ loses: "tickets" });
    const { status, content } = await bundle.call(0, "create_support_ticket", { subject: "Late", text: "Where is it?" }, { tier: "low" });
    expect({ status, content, lost: bundle.lost() }).toEqual({ status: "ok", content: '{"ticket":"TK-1"}', lost: 1 });
    expect(bundle.shop.effects().tickets).toHaveLength(1);
  });

  it("reports a mail whose answer was lost as unknown, and sends no second one", async () => {
    await using bundle = await setup({ loses: "mails" });
    const mail = { to: "warehouse@shop.example", subject: "Count", text: "Please count." };
    expect(await bundle.call(0, "send_email", mail)).toMatchObject({ status: "outcome_unknown" });
    expect(await bundle.call(0, "send_email", mail, { dispatch: 2 })).toMatchObject({ status: "outcome_unknown" });
    expect(bundle.shop.effects().mails).toHaveLength(1);
  });

  it("changes the address of an order that was not sent, and of no other", async () => {
    await using bundle = await setup();
    const address = { street: "Bahnhofplatz 1", postcode: "8001", city: "Zurich", country: "CH" };
    const approved = (status: string, before: JsonObject) => {
      const plan = { before: { status, ...before }, after: { status, ...address } };
      return { tier: "high", approvers: ["bo"], plan } as const;
    };
    const packed = approved("packed", { street: "Seestrasse 11", postcode: "8002", city: "Zurich", country: "CH" });
    expect(await bundle.call(0, "update_address", { order: "ORD-8822", ...address }, packed)).toMatchObject({ status: "ok" });
    const delivered = approved("delivered", { street: "Birkenweg 4", postcode: "20095", city: "Hamburg", country: "DE" });
    const { content } = await bundle.call(1, "update_address", { order: "ORD-8821", ...address }, delivered);
    expect(JSON.parse(content)).toMatchObject({
      error: "order_sent",
      message: "ORD-8821 is delivered, so its address cannot change any more.",
    });
    const looked = await bundle.call(2, "lookup_order", { order: "ORD-8822" });
    expect(JSON.parse(looked.content)).toMatchObject({ address });
    expect(bundle.shop.effects().addressChanges).toHaveLength(1);
  });

  it("passes on the shop's reason for refusing a refund, and does not repeat it", async () => {
    await using bundle = await setup();
    const { content } = await bundle.call(0, "issue_refund", refund("ORD-8822", 19.81));
    expect(JSON.parse(content)).toMatchObject({
      error: "refund_exceeds_order",
      message: "Only 19.80 EUR of ORD-8822 can still be refunded.",
    });
    expect(bundle.shop.effects().refunds).toEqual([]);
  });

  it.each([
    ["lookup_order", { order: "ORD-8821" }, { customer: "CUS-17", status: "delivered", total: 249, refunded: 0 }],
    ["lookup_order", { order: "ORD-1" }, { error: "order_not_found" }],
    ["get_balance", { customer: "CUS-23" }, { balance: 12.5, currency: "EUR" }],
    ["get_balance", { customer: "CUS-1" }, { error: "customer_not_found" }],
    ["search_policy", { query: "a lamp was damaged" }, { matches: [{ title: "Damaged goods" }] }],
    ["search_policy", { query: "%&?=#/ ../effects" }, { matches: [] }],
    ["calculate_shipping", { country: "DE", weight_kg: 2.5 }, { price: 6.7, currency: "EUR", days: 2 }],
    ["calculate_shipping", { country: "DE", weight_kg: 0.00001 }, { price: 5.5 }],
    ["calculate_shipping", { country: "US", weight_kg: 1 }, { error: "country_not_served" }],
    ["validate_iban", { iban: "de89 3704 0044 0532 0130 00" }, { valid: true }],
    ["validate_iban", { iban: "GB82WEST12345698765432" }, { valid: true }],
    ["validate_iban", { iban: "DE89 3704 0044 0532 0130 01" }, { valid: false, reason: "Its check digits are wrong." }],
    ["validate_iban", { iban: "DE8937040044053201300" }, { valid: false, reason: "An IBAN of DE has 22 characters, not 21." }],
    ["validate_iban", { iban: "12" }, { valid: false }],
    ["format_table", { columns: ["A", "B"], rows: [["1"]] }, { error: "invalid_arguments", details: [{ path: "/rows/0" }] }],
  ])("%s %j answers with %j", async (tool, args, expected) => {
    await using bundle = await setup();
    const { content } = await bundle.call(0, tool, args);
    expect(JSON.parse(content)).toMatchObject(expected);
  });

  it("formats a table in which no cell can end its row", async () => {
    await using bundle = await setup();
    const args = { columns: ["Order", "Note"], rows: [["ORD-1", "a|b\nc\\"]] };
    expect((await bundle.call(0, "format_table", args)).content).toBe("| Order | Note |\n| --- | --- |\n| ORD-1 | a\\|b c\\\\ |");
  });
});
