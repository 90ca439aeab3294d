import { describe, expect, it } from "vitest";
import { checkApprovals } from "../doctor/check-approvals.ts";
import { checkTools } from "../doctor/check-work.ts";
import { client, type Client } from "../http/client.ts";
import { sendJson, sendProblem, serverUnderTest } from "../testing/server-under-test.ts";
import { runCommandLine } from "../toolbus/program.ts";
import { surroundingsUnderTest } from "../testing/surroundings-under-test.ts";
import { writeUnderTest } from "../testing/tool-under-test.ts";

const POINTER = "/risk/rules/0/when/properties/order/pattern";
const REASON = 'The pattern "(?<=x)y" looks around, which costs more than anybody can say beforehand. \u001b[31mWrite it without.';
const quarantined = { pointer: POINTER, reason: REASON };
const TOOL = {
  name: "issue_refund",
  version: "2",
  preferred: true,
  toolset: "orders",
  source: "orders",
  kind: "write",
  tier: "high",
  description: "Pays money back.",
  parameters: { type: "object" },
  hash: "sha256-one",
  available: false,
  availability: "ready",
  registeredAt: 0,
  lastSeenAt: 0,
} as const;
const DEFINITION = {
  name: "issue_refund",
  version: "2",
  description: "Pays money back.",
  parameters: { type: "object" },
  kind: "write",
  risk: { tier: "high" },
  idempotency: { mode: "none" },
  timeoutMs: 1000,
  source: "orders",
};

describe("a quarantined tool", () => {
  it("is marked in the list of tools, and is shown with the place and the reason of the refusal", async () => {
    await using toolbus = await serving();
    expect((await toolbus.says("tools", "list")).out).toMatch(/^issue_refund +2 +write, high +quarantined +/m);
    const { out } = await toolbus.says("tools", "show", "issue_refund");
    expect(out).toContain(`quarantined at ${POINTER}: `);
    expect(unwrapped(out)).toContain("looks around, which costs more than anybody can say beforehand.");
    expect(out).toContain("It is not used: no run is offered it");
    expect(out).not.toContain("tools call issue_refund");
  });

  it("is listed among the waiting writes as one that nobody can enable, with the pointer and the reason", async () => {
    await using toolbus = await serving();
    const listed = await toolbus.says("tools", "pending");
    expect(listed.out).toMatch(/^issue_refund +2 +orders +high +quarantined +its definition is refused$/m);
    expect(unwrapped(listed.out)).toContain(`issue_refund@2 is refused at ${POINTER}: The pattern "(?<=x)y" looks around`);
    expect(listed.out).not.toContain("then enable it");
    const shown = await toolbus.says("tools", "show", "issue_refund", "--diff");
    expect(shown.out).toContain("issue_refund@2 of orders: quarantined, gets no grants");
    expect(unwrapped(shown.out)).toContain(`refused at ${POINTER}: The pattern`);
    expect(unwrapped(shown.out)).toContain("Nobody can enable it, and no call of it is executed.");
    expect(shown.out).not.toContain("tools enable");
    for (const { out } of [listed, shown]) expect(out).not.toContain("\u001b");
  });

  it("is a finding of doctor, among the tools and the writes, which says what to do", async () => {
    await using toolbus = await serving();
    const signal = new AbortController().signal;
    const [gateway, approvals] = (["gateway", "approvals"] as const).map((service) =>
      client({ url: toolbus.url, service, key: "a", signal }),
    ) as [Client, Client];
    const tools = await checkTools(gateway);
    const [writes] = await checkApprovals(approvals, 0);
    expect(tools).toMatchObject({
      name: "tools",
      level: "fail",
      message: expect.stringContaining(`1 registered; issue_refund@2 is quarantined: ${POINTER}: The pattern`),
      fix: expect.stringContaining('"toolbus tools show issue_refund@2" says more.'),
    });
    expect(writes).toMatchObject({
      name: "writes",
      level: "fail",
      message: expect.stringContaining(`issue_refund@2 is quarantined: ${POINTER}: The pattern`),
      fix: expect.stringContaining('"toolbus tools show issue_refund --diff" says more.'),
    });
    for (const { message } of [tools, writes ?? tools]) expect(message).not.toContain("\u001b");
  });
});

/** Serves the gateway and approvals of a Toolbus in which somebody registered a write with a refused definition. */
async function serving() {
  const answers: Readonly<Record<string, unknown>> = {
    "/v1/tools": { registryVersion: "1", tools: [{ ...TOOL, quarantined }] },
    "/v1/writes": { writes: [{ ...writeUnderTest, quarantined, enabled: null }] },
    "/v1/writes/issue_refund": {
      tool: "issue_refund",
      enabled: null,
      damaged: null,
      registered: [{ ...writeUnderTest, quarantined, definition: DEFINITION, changes: [] }],
    },
  };
  const server = await serverUnderTest((request, response) => {
    const answer = answers[request.url ?? ""];
    if (answer === undefined) sendProblem(response, 404, { code: "not_found", detail: "There is no such thing." });
    else sendJson(response, answer);
  });
  const env = { TOOLBUS_URL: server.url, TOOLBUS_APPROVALS_URL: server.url, TOOLBUS_KEY: "a", TOOLBUS_APPROVER_KEY: "b" };
  return {
    url: server.url,
    async says(...args: readonly string[]) {
      const { around, said } = surroundingsUnderTest(env);
      return { code: await runCommandLine(args, around), ...said() };
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

/** Returns the text on one line. */
function unwrapped(text: string): string {
  return text.replace(/\s+/g, " ");
}
