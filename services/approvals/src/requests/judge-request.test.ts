import type { Pin, ToolDefinition } from "@toolbus/contracts";
import { canonicalJson, toolHash } from "@toolbus/grants";
import { describe, expect, it } from "vitest";
import { defaultPolicy } from "../policy/policy.ts";
import { judgeRequest } from "./judge-request.ts";
import { call, CONVERSATION, refund, RUN, START } from "../testing/writes-under-test.ts";

/** An earlier version, which did not yet check patterns in rules, enabled this definition. */
const hostile: ToolDefinition = {
  ...refund,
  risk: { tier: "low", rules: [{ when: { properties: { order: { pattern: "(?<=x)y" } } }, tier: "high", reason: "never judged" }] },
};

describe("a request for a write that was enabled", () => {
  it("is refused with the fault of its definition, if the definition is refused", () => {
    const { facts, holding } = judged(hostile);
    expect(holding).toEqual({
      by: "refused",
      reason: expect.stringMatching(
        /^"issue_refund@1" is quarantined: its definition is refused at \/risk\/rules\/0\/when\/properties\/order\/pattern\. .+ Continue without it\.$/,
      ),
    });
    expect(facts).toMatchObject({ arguments: "", effect: "" });
  });

  it("is judged if its definition is valid", () => {
    expect(judged(refund)).toMatchObject({ facts: { tier: "medium" }, holding: { by: "policy" } });
  });
});

function judged(definition: ToolDefinition) {
  const pin: Pin = { toolset: "orders", definition, hash: toolHash(definition), enabled: true, pinnedAt: START, pinnedBy: "otto" };
  return judgeRequest({
    request: {
      toolCallId: call(1),
      toolName: definition.name,
      toolVersion: definition.version,
      toolHash: pin.hash,
      arguments: canonicalJson({ amount: 1, order: "A" }),
      sessionId: CONVERSATION,
    },
    agent: "default",
    correlationId: call(1),
    origin: {
      runId: RUN,
      conversationId: CONVERSATION,
      tenant: "acme",
      principal: "rita",
      scopes: ["orders"],
      agent: "default",
      messageHash: "hash",
      via: { kind: "http" },
      createdAt: START,
      openUntil: START + 3_600_000,
    },
    pin,
    answerFault: null,
    policy: defaultPolicy(),
    defaults: { expiryMs: 900_000, remindPercent: 50 },
    now: START,
  });
}
