import { describe, expect, it } from "vitest";
import { sendJson, serverUnderTest } from "../testing/server-under-test.ts";
import { surroundingsUnderTest } from "../testing/surroundings-under-test.ts";
import { runCommandLine } from "../toolbus/program.ts";

const TOOL = {
  name: "find_order",
  version: "1",
  preferred: true,
  toolset: "orders",
  source: "orders",
  kind: "read",
  tier: "low",
  description: 'Finds an order, for example "ORD-1".',
  parameters: { type: "object", properties: { of: { type: "string", description: 'for example "Ann"' } }, required: ["of"] },
  hash: "sha256-one",
  available: true,
  availability: "ready",
  registeredAt: 0,
  lastSeenAt: 0,
};

/** Returns the lines that `tools show` prints for the tool with these members. */
async function shown(members: object): Promise<readonly string[]> {
  await using server = await serverUnderTest((_, response) =>
    sendJson(response, { registryVersion: "1", tools: [{ ...TOOL, ...members }] }),
  );
  const { around, said } = surroundingsUnderTest({ TOOLBUS_URL: server.url, TOOLBUS_KEY: "a" });
  expect(await runCommandLine(["tools", "show", "find_order"], around)).toBe(0);
  return said().out.trimEnd().split("\n").slice(-2);
}

describe("the call that a tool is shown with", () => {
  it("has the arguments that its workers declare, quoted for a shell", async () => {
    expect(await shown({ example: { of: "O'Neill" } })).toEqual(["", `  toolbus tools call find_order '{"of":"O'\\''Neill"}'`]);
  });

  it("says what must be replaced first if nobody knows a value", async () => {
    expect(await shown({})).toEqual(["Replace what is between < and > first:", `  toolbus tools call find_order '{"of":"<of>"}'`]);
  });

  it("has no arguments where none are needed", async () => {
    expect(await shown({ parameters: { type: "object", properties: {} } })).toEqual(["", "  toolbus tools call find_order"]);
  });
});
