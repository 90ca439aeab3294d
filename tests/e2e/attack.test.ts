import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { attributes, type JsonObject, type Message, messageTypes, type ToolInvoke } from "@toolbus/contracts";
import { canonicalJson, generateSigningKey, openSigningKey, signerOf, signGrant } from "@toolbus/grants";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type AttackBench, attackBench, claimsOf, grantOf } from "./testing/attack-bench.ts";
import { approvalUrl, call, follow, heldApproval, look, startRun } from "./testing/http-client.ts";
import { scratch, type Scratch } from "./testing/scratch.ts";

let files: Scratch;
let bench: AttackBench;
beforeAll(async () => {
  files = scratch();
  bench = await attackBench(files.at("data"));
});
afterAll(async () => {
  await bench.stop();
  files.remove();
});

describe("an attacker who publishes on the bus", () => {
  const forgeries: readonly {
    readonly what: string;
    readonly reason: string;
    readonly forge: (genuine: Message, spent: Message) => Message | Promise<Message>;
  }[] = [
    { what: "without a grant", reason: "missing", forge: (genuine) => tampered(genuine, { grant: undefined }) },
    {
      what: "with a byte of the grant's header altered",
      reason: "header",
      forge: (genuine) => tampered(genuine, { grant: altered(genuine, 0) }),
    },
    {
      what: "with a byte of the grant's claims altered",
      reason: "signature",
      forge: (genuine) => tampered(genuine, { grant: altered(genuine, 1) }),
    },
    {
      what: "with a byte of the grant's signature altered",
      reason: "signature",
      forge: (genuine) => tampered(genuine, { grant: altered(genuine, 2) }),
    },
    {
      what: "with the grant for other arguments",
      reason: "arguments",
      forge: (genuine) => tampered(genuine, { arguments: { ...argumentsOf(genuine), severity: "low" } }),
    },
    {
      what: "with the grant for another call of the run",
      reason: "call",
      forge: (genuine) => tampered(genuine, { toolCallId: `${claimsOf(genuine).runId}.1.1` }),
    },
    {
      what: "with the grant of another run, which is already used",
      reason: "call",
      forge: (genuine, spent) => tampered(genuine, { grant: grantOf(spent) }),
    },
    {
      what: "with another tool hash in the grant",
      reason: "signature",
      forge: (genuine) => tampered(genuine, { grant: reworded(genuine, { toolHash: `sha256-${"A".repeat(43)}` }) }),
    },
    {
      what: "with a grant of the attacker's own under approvals' key id",
      reason: "signature",
      forge: async (genuine) => tampered(genuine, { grant: await ownGrant(genuine) }),
    },
  ];

  let spent: Message;
  beforeAll(async () => {
    const { runId, genuine } = await bench.granted();
    await bench.publish(genuine);
    await follow(bench.requester, runId);
    spent = genuine;
  });

  it.each(forgeries)("$what gets no write and no answer, and is recorded", async ({ reason, forge }) => {
    const { runId, genuine } = await bench.granted();
    const before = bench.api.reports().length;
    const forged = await forge(genuine, spent);
    expect(await bench.publish(forged)).toEqual({ disposition: { kind: "ack" }, answers: [] });
    expect(bench.api.reports()).toHaveLength(before);
    const callId = invokeOf(forged).toolCallId;
    expect(await bench.securityRecords(callId, "worker.release")).toEqual([
      expect.objectContaining({
        kind: "grant_refused",
        by: "/agents/default",
        details: expect.objectContaining({ why: reason, callId, tool: "file_risk_report", messageId: forged.id }) as object,
      }),
    ]);
    // The forged message differs from the genuine message in only one thing. The genuine message must still be executed.
    await expectFiled(runId, genuine, before);
  });

  it("gets nothing for a grant of another definition of the tool, even a signed one: the agent is told to ask again", async () => {
    const { runId, genuine } = await bench.granted();
    const before = bench.api.reports().length;
    const signer = await signerOf(await openSigningKey({ file: files.at("data", "keys", "approvals-signing.jwk") }));
    const grant = await signGrant({ ...claimsOf(genuine), toolHash: `sha256-${"A".repeat(43)}` }, signer);
    const { disposition, answers } = await bench.publish(tampered(genuine, { grant }));
    expect({ disposition, types: answers.map(({ type }) => type) }).toEqual({
      disposition: { kind: "ack" },
      types: [messageTypes.grantStale],
    });
    expect(bench.api.reports()).toHaveLength(before);
    await expectFiled(runId, genuine, before);
  });

  it("gets the first result again for a replay, and files nothing more", async () => {
    const { runId, genuine } = await bench.granted();
    const before = bench.api.reports().length;
    const first = await expectFiled(runId, genuine, before);
    const events = await follow(bench.requester, runId);
    for (const replay of [genuine, { ...genuine, id: `${genuine.id}-again` }]) {
      const { answers } = await bench.publish(replay);
      expect(answers.map(({ body }) => body)).toEqual(first.map(({ body }) => body));
    }
    expect(bench.api.reports()).toHaveLength(before + 1);
    expect(await follow(bench.requester, runId)).toEqual(events);
  });

  it("cannot approve by an argument: the schema knows no such field", async () => {
    const { runId, genuine } = await bench.granted();
    const before = bench.api.reports().length;
    const { answers } = await bench.publish(tampered(genuine, { arguments: { ...argumentsOf(genuine), approved: true } }));
    expect(answers.map(({ type, body }) => ({ type, ...(JSON.parse(body) as object) }))).toEqual([
      expect.objectContaining({ type: messageTypes.toolError, code: "InvalidArguments" }),
    ]);
    expect(bench.api.reports()).toHaveLength(before);
    await expectFiled(runId, genuine, before);
  });

  async function expectFiled(runId: string, genuine: Message, before: number): Promise<readonly Message[]> {
    const { answers } = await bench.publish(genuine);
    const end = (await follow(bench.requester, runId)).at(-1);
    expect(end).toMatchObject({ type: "run.completed", report: { filing: { status: "filed" } } });
    expect(bench.api.reports()).toHaveLength(before + 1);
    return answers;
  }
});

describe("two principals", () => {
  it("an approver's key opens nothing at the gateway, nor a requester's at approvals", async () => {
    const { requester, decider, system } = bench;
    const runId = await startRun(requester, "r1");
    const approvalId = await heldApproval(requester, runId);
    const { decisionToken } = await look(decider, approvalId);

    for (const route of [`/v1/runs/${runId}`, `/v1/runs/${runId}/events`, `/v1/investigations/${runId}`, "/v1/tools"]) {
      expect((await call(requester.gateway + route, decider.approver)).status, `GET ${route}`).toBe(401);
    }
    for (const route of ["/v1/investigations", `/v1/runs/${runId}/cancel`]) {
      expect((await call(requester.gateway + route, decider.approver, { releaseId: "r1" })).status, `POST ${route}`).toBe(401);
    }
    for (const key of [requester.user, system.keys.operator]) {
      expect((await call(`${decider.approvals}/v1/approvals`, key)).status).toBe(401);
      expect((await call(approvalUrl(decider, approvalId), key)).status).toBe(401);
      expect((await call(`${approvalUrl(decider, approvalId)}/decision`, key, { decision: "approve", token: decisionToken })).status).toBe(
        401,
      );
    }
    expect(await look(decider, approvalId)).toMatchObject({ status: "pending" });
  });

  it("the keys of each side are unknown to the other's file", async () => {
    const hashesIn = async (file: string): Promise<string[]> =>
      (JSON.parse(await readFile(file, "utf8")) as { readonly sha256: string }[]).map(({ sha256 }) => sha256);
    const atGateway = await hashesIn(bench.system.keys.gatewayKeysFile);
    const atApprovals = await hashesIn(bench.system.keys.approvalsKeysFile);
    expect(atGateway.filter((hash) => atApprovals.includes(hash))).toEqual([]);
    expect(path.dirname(bench.system.keys.gatewayKeysFile)).toBe(files.at("data", "keys"));
  });

  it("a requester who is also an approver cannot decide their own request, not even with somebody else's token", async () => {
    const { requester, decider, requestersApproverKey } = bench;
    const approvalId = await heldApproval(requester, await startRun(requester, "r1"));
    const own = await look({ ...decider, approver: requestersApproverKey }, approvalId);
    expect(own).toMatchObject({ status: "pending", mayDecide: false });
    expect(own.decisionToken).toBeUndefined();

    const { decisionToken } = await look(decider, approvalId);
    const answer = await call(`${approvalUrl(decider, approvalId)}/decision`, requestersApproverKey, {
      decision: "approve",
      token: decisionToken,
    });
    expect(answer).toMatchObject({ status: 403, body: { code: "self_approval" } });
    expect(await bench.securityRecords(approvalId, "approvals")).toEqual([
      expect.objectContaining({ kind: "self_approval", by: "user:local" }),
    ]);
    expect(await look(decider, approvalId)).toMatchObject({ status: "pending" });
  });

  it("an approver's token decides once: the same decision gets the same answer again, another one is refused", async () => {
    const { requester, decider } = bench;
    const approvalId = await heldApproval(requester, await startRun(requester, "r1"));
    const decide = (decision: string, token: string | undefined) =>
      call(`${approvalUrl(decider, approvalId)}/decision`, decider.approver, { decision, token });
    const { decisionToken } = await look(decider, approvalId);
    // A second read of the approval returns the same token, so it does not allow a second decision.
    expect(await look(decider, approvalId)).toMatchObject({ decisionToken });
    expect(await decide("approve", randomUUID())).toMatchObject({ status: 403 });

    const first = await decide("deny", decisionToken);
    expect(first).toMatchObject({ status: 200, body: { status: "rejected" } });
    expect(await decide("deny", decisionToken)).toEqual(first);
    expect(await decide("approve", decisionToken)).toMatchObject({ status: 409, body: { code: "token_used" } });
  });
});

interface Changes {
  readonly grant?: string | undefined;
  readonly arguments?: JsonObject;
  readonly toolCallId?: string;
}

/**
 * Returns the message with these changes and another call secret. An attacker who did not see the invoke does not know its secret. So the agent
 * accepts no answer to the forged message.
 */
function tampered(genuine: Message, changes: Changes): Message {
  const { grant = "grant" in changes ? undefined : grantOf(genuine) } = changes;
  const { [attributes.grant]: _, ...others } = genuine.attributes;
  const invoke = invokeOf(genuine);
  const toolCallId = changes.toolCallId ?? invoke.toolCallId;
  return {
    ...genuine,
    id: `${toolCallId}#forged-${randomUUID()}`,
    correlationId: toolCallId,
    attributes: { ...others, [attributes.callSecret]: randomUUID(), ...(grant === undefined ? {} : { [attributes.grant]: grant }) },
    body: JSON.stringify({ ...invoke, toolCallId, ...(changes.arguments ? { arguments: canonicalJson(changes.arguments) } : {}) }),
  };
}

const invokeOf = (message: Message): ToolInvoke => JSON.parse(message.body) as ToolInvoke;
const argumentsOf = (message: Message): JsonObject => JSON.parse(invokeOf(message).arguments) as JsonObject;

/**
 * Returns the message's grant with one character of this part changed. In the header, the key id is not changed, because another key id would name an
 * unknown key.
 */
function altered(message: Message, part: number): string {
  const parts = grantOf(message).split(".");
  const text = parts[part] ?? "";
  const at = 10;
  return parts.with(part, text.slice(0, at) + (text[at] === "A" ? "B" : "A") + text.slice(at + 1)).join(".");
}

/** Returns the message's grant with other claims under the old signature. */
function reworded(message: Message, claims: JsonObject): string {
  const [header, , signature] = grantOf(message).split(".");
  return [header, Buffer.from(canonicalJson({ ...claimsOf(message), ...claims })).toString("base64url"), signature].join(".");
}

/** Returns a grant with the same claims. It is signed with the attacker's own key, but names the key id of approvals. */
async function ownGrant(message: Message): Promise<string> {
  const [header = ""] = grantOf(message).split(".");
  const { kid } = JSON.parse(Buffer.from(header, "base64url").toString()) as { readonly kid: string };
  const { key } = await signerOf(await generateSigningKey());
  return signGrant(claimsOf(message), { kid, key });
}
