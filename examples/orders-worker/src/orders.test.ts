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
  type Tier,
  ToolAnswer,
  topics,
} from "@toolbus/contracts";
import {
  argumentsHash,
  canonicalJson,
  generateSigningKey,
  publicKeySet,
  signerOf,
  signGrant,
  staticKeySet,
  toolHash,
} from "@toolbus/grants";
import { memoryStore } from "@toolbus/state";
import { silentLog } from "@toolbus/telemetry";
import { lintTool, readResult, startWorker } from "@toolbus/tool-kit";
import { describe, expect, it } from "vitest";
import { orders } from "./orders.ts";

const RUN = "rn_00_01JD0000000000000000000001";
const CONVERSATION = "cv_00_01JD0000000000000000000001";
const parseAnswer = parser(ToolAnswer);

async function setup() {
  const refunds: { readonly [name: string]: unknown }[] = [];
  const toolset = orders({ refund: async (refund, key) => ({ refundId: `r${refunds.push({ ...refund, key })}` }) });
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
  });
  const answers: string[] = [];
  let heard = Promise.withResolvers<void>();
  await consumeQueue(bus, {
    topic: topics.result("default"),
    concurrency: 1,
    deadlineMs: 5000,
    parse: parseAnswer,
    log: silentLog,
    clock: () => Date.now(),
    handler: async (sent) => {
      const read = readResult(sent);
      if (read.ok) answers.push(read.value.result.content);
      heard.resolve();
      heard = Promise.withResolvers();
      return { kind: "ack" };
    },
  });
  const definition = toolset.list()[0]?.definition;
  if (!definition) throw new Error("the toolset has a tool");

  /** Sends a refund with a grant of this tier, as an agent does. Resolves when the answer has arrived. */
  async function refund(index: number, args: JsonObject, tier: Tier, dispatch = 1): Promise<void> {
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
        tool: definition?.name ?? "",
        toolVersion: definition?.version ?? "",
        toolHash: definition ? toolHash(definition) : "",
        argsHash: argumentsHash(text),
        tier,
        requester: "ada",
        approvers: [],
        need: 0,
      },
      signer,
    );
    const answered = heard.promise;
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
          [attributes.grant]: grant,
          [attributes.callSecret]: "s",
          [attributes.dispatch]: dispatch,
          [attributes.notAfter]: Date.now() + 60_000,
        },
        body: { toolCallId: callId, toolName: "issue_refund", arguments: text, sessionId: CONVERSATION },
      }),
    );
    await answered;
  }
  const close = async (): Promise<void> => {
    await worker.stop();
    await bus.close();
    await state.close();
  };
  return { refunds, answers, refund, [Symbol.asyncDispose]: close };
}

describe("the orders worker", () => {
  it("passes the lint", () => {
    const found = orders({ refund: async () => ({ refundId: "r" }) })
      .list()
      .flatMap(({ definition }) => lintTool(definition));
    expect(found).toEqual([]);
  });

  it("refunds once, with the call's id as key, however often the call is sent", async () => {
    await using shop = await setup();
    await shop.refund(0, { order: "ORD-8821", amount: 20 }, "medium");
    await shop.refund(0, { order: "ORD-8821", amount: 20 }, "medium", 2);
    expect(shop.refunds).toEqual([{ order: "ORD-8821", amount: 20, key: `${RUN}.1.0` }]);
    expect(shop.answers).toEqual(['{"refundId":"r1"}', '{"refundId":"r1"}']);
  });

  it("refunds nothing above 50 EUR that only policy has granted", async () => {
    await using shop = await setup();
    // The refused call receives no answer. The next call's answer shows that the worker skipped the refused one.
    void shop.refund(1, { order: "ORD-1", amount: 80 }, "medium");
    await shop.refund(2, { order: "ORD-2", amount: 5 }, "medium");
    expect(shop.refunds.map((refund) => refund["order"])).toEqual(["ORD-2"]);
  });

  it("answers with every wrong field before anything is granted", async () => {
    await using shop = await setup();
    await shop.refund(3, { order: "8821", amount: -1 }, "medium");
    expect(JSON.parse(shop.answers[0] ?? "")).toMatchObject({
      error: "invalid_arguments",
      details: [{ path: "/order" }, { path: "/amount" }],
    });
    expect(shop.refunds).toEqual([]);
  });
});
