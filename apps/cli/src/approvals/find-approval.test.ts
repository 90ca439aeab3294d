import { describe, expect, it } from "vitest";
import { client } from "../http/client.ts";
import { sendJson, serverUnderTest } from "../testing/server-under-test.ts";
import { findApproval } from "./find-approval.ts";

const id = (run: string, round = 1): string => `ap_rn_04_01K0AB5M0Y4T8J6W2Q9Z3C7D${run}.${round}.0`;

/** A server that lists these approvals by the beginnings of their ids, one on each page. */
async function setup(lists: { readonly pending: readonly string[]; readonly all: readonly string[] }) {
  const server = await serverUnderTest((request, response) => {
    const query = new URL(request.url ?? "", "http://server").searchParams;
    const status = query.get("status") === "pending" ? "pending" : "all";
    const at = Number(query.get("cursor") ?? 0);
    const matching = lists[status].filter((one) => one.startsWith(query.get("id") ?? ""));
    const approvals = matching.slice(at, at + 1).map((one) => ({ ...VIEW, id: one }));
    sendJson(response, { approvals, now: 0, ...(at + 1 < matching.length ? { cursor: String(at + 1) } : {}) });
  });
  const approvals = async () => client({ url: server.url, service: "approvals", key: "k" });
  return {
    requests: server.requests,
    find: async (typed: string, ...of: readonly ("pending" | "all")[]) => (await findApproval({ approvals }, typed, of)).id,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

describe("the beginning of an approval's id", () => {
  it("is enough if only one begins so, on whatever page it is", async () => {
    await using t = await setup({ pending: [id("1E"), id("2E")], all: [id("1E"), id("2E"), id("3E")] });
    expect(await t.find(id("2E").slice(0, 34), "pending", "all")).toBe(id("2E"));
    expect(await t.find(id("3E").slice(0, 34), "all")).toBe(id("3E"));
  });

  it("means the one that waits, even if others that have ended begin so too", async () => {
    await using t = await setup({ pending: [id("2E")], all: [id("2E"), id("1E")] });
    expect(await t.find("ap_rn_04_01K", "pending", "all")).toBe(id("2E"));
    await expect(t.find("ap_rn_04_01K", "all")).rejects.toMatchObject({ exitCode: 2 });
  });

  it("is refused with the matches if several begin so", async () => {
    await using t = await setup({ pending: [id("1E"), id("2E")], all: [] });
    await expect(t.find("ap_rn_04_01K", "pending")).rejects.toMatchObject({
      exitCode: 2,
      message: `Several approvals begin with "ap_rn_04_01K": ${id("1E")}, ${id("2E")}. Type more of the id.`,
    });
  });

  it("is not found if none begins so", async () => {
    await using t = await setup({ pending: [], all: [id("1E")] });
    await expect(t.find("ap_rn_04_02", "pending", "all")).rejects.toMatchObject({ exitCode: 5 });
  });

  it("needs no request if it is a whole id or can begin none", async () => {
    await using t = await setup({ pending: [], all: [] });
    expect(await t.find(id("1E"), "pending")).toBe(id("1E"));
    for (const typed of ["", "ap_", "ap_1", "rn_04", "ap_rn_04_01K!"])
      await expect(t.find(typed, "all")).rejects.toMatchObject({ exitCode: 2 });
    expect(t.requests).toEqual([]);
  });
});

const VIEW = {
  callId: "c",
  correlationId: "c",
  runId: "r",
  conversationId: "c",
  tool: "pay",
  toolVersion: "1",
  toolHash: "h",
  toolset: "orders",
  arguments: {},
  argumentsHash: "h",
  effect: "Pays.",
  tier: "high",
  reasons: [],
  idempotency: { mode: "none", inWords: "w" },
  requester: "rita",
  agent: "default",
  status: "pending",
  approversNeeded: 1,
  decisions: [],
  requestedAt: 0,
  expiresAt: 1,
  endedAt: null,
} as const;
