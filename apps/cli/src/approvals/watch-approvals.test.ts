import type { ServerResponse } from "node:http";
import { describe, expect, it } from "vitest";
import { client } from "../http/client.ts";
import { sendJson, sendProblem, serverUnderTest } from "../testing/server-under-test.ts";
import { watchApprovals } from "./watch-approvals.ts";

interface Kept {
  readonly id: string;
  readonly requestedAt: number;
  readonly expiresAt: number;
  readonly endedAt: number | null;
  readonly plan?: object;
}

/**
 * Watches a server that lists approvals, two on a page. Before each request for the list, the next step sets the server's time and changes the list.
 * A step may also answer the request itself. After the last step, the watcher stops.
 */
async function watched(
  steps: readonly ((kept: Map<string, Kept>, response: ServerResponse) => number | null)[],
  options: { readonly all?: boolean } = {},
) {
  const kept = new Map<string, Kept>();
  const stop = new AbortController();
  const heard: string[] = [];
  let step = -1;
  let now = 1_000_000;
  await using server = await serverUnderTest((request, response) => {
    const query = new URL(request.url ?? "", "http://server").searchParams;
    const cursor = query.get("cursor");
    if (cursor === null && query.get("limit") !== "1") {
      const at = steps[++step]?.(kept, response);
      if (at === null) return;
      if (at === undefined) stop.abort(new Error("left"));
      else now = at;
    }
    const since = Number(query.get("since") ?? 0);
    const found = [...kept.values()].filter(({ requestedAt, endedAt, plan }) => (endedAt ?? (plan ? now : requestedAt)) >= since);
    const from = Number(cursor ?? 0);
    const approvals = found
      .slice(from, from + 2)
      .map((one) => ({ ...VIEW, ...one, status: one.endedAt === null ? "pending" : "approved" }));
    sendJson(response, { approvals, now, ...(from + 2 < found.length ? { cursor: String(from + 2) } : {}) });
  });
  const approvals = client({ url: server.url, service: "approvals", key: "k", signal: stop.signal });
  const watching = watchApprovals(approvals, {
    ...options,
    onBegin: () => undefined,
    onEvent: ({ event, approval }) => heard.push(`${event.slice("approval.".length)} ${approval.id}`),
    onLost: () => heard.push("lost"),
    onBack: () => heard.push("back"),
    signal: stop.signal,
    everyMs: 1,
  });
  await expect(watching).rejects.toThrow("left");
  return heard;
}

const held = (id: string, requestedAt: number): Kept => ({ id, requestedAt, expiresAt: requestedAt + 900_000, endedAt: null });

describe("watching approvals", () => {
  it("reports an approval again whose target has changed after it was approved", async () => {
    const changes = { hash: "sha256-a", at: 1, changes: [] };
    const heard = await watched([
      (kept) => (kept.set("one", held("one", 1_000_010)), 1_000_020),
      (kept) => (kept.set("one", { ...held("one", 1_000_010), endedAt: 1_000_030 }), 1_000_040),
      (kept) => {
        const plan = { ...changes, round: 2, at: 1_090_000, drifted: changes };
        kept.set("one", { ...held("one", 1_000_010), plan });
        // The approval was requested before anybody watched.
        kept.set("two", { ...held("two", 900_000), plan });
        return 1_090_010;
      },
      () => 1_090_020,
    ]);
    expect(heard).toEqual(["held one", "ended one", "held one", "held two"]);
  });

  it("reports each new approval and each end once, in their order, however many pages and looks it takes", async () => {
    const heard = await watched([
      (kept) => {
        kept.set("before", held("before", 999_999));
        for (let n = 1; n <= 5; n++) kept.set(`a${n}`, held(`a${n}`, 1_000_000 + n));
        return 1_000_010;
      },
      () => 1_000_020,
      (kept) => {
        kept.set("before", { ...held("before", 999_999), endedAt: 1_000_025 });
        kept.set("a2", { ...held("a2", 1_000_002), endedAt: 1_000_022 });
        return 1_000_030;
      },
      () => 1_100_000,
      () => 1_200_000,
    ]);
    expect(heard).toEqual(["held a1", "held a2", "held a3", "held a4", "held a5", "ended a2", "ended before"]);
  });

  it("reports an event that became visible after a later one", async () => {
    const heard = await watched([
      (kept) => (kept.set("late", held("late", 1_005_000)), 1_010_000),
      (kept) => (kept.set("early", held("early", 1_004_000)), 1_012_000),
      () => 1_014_000,
    ]);
    expect(heard).toEqual(["held late", "held early"]);
  });

  it("says once that the service is away and once that it is back, and reports what happened meanwhile", async () => {
    const fail = (response: ServerResponse): null => (sendProblem(response, 503, { title: "away", detail: "It is away." }), null);
    const cut = (response: ServerResponse): null => (response.socket?.destroy(), null);
    const heard = await watched([
      () => 1_000_001,
      (_, response) => fail(response),
      (_, response) => cut(response),
      (kept) => {
        kept.set("a1", held("a1", 1_000_500));
        kept.set("a2", { ...held("a2", 1_000_600), endedAt: 9_000_000 });
        return 9_000_001;
      },
      () => 9_000_002,
    ]);
    expect(heard).toEqual(["lost", "held a1", "ended a2", "back"]);
  });

  it("leaves out writes that nobody was asked about, unless it is told to show all", async () => {
    const byPolicy = (kept: Map<string, Kept>): number => {
      kept.set("p", { id: "p", requestedAt: 1_000_001, expiresAt: 1_000_001, endedAt: 1_000_001 });
      return 1_000_002;
    };
    expect(await watched([byPolicy])).toEqual([]);
    expect(await watched([byPolicy], { all: true })).toEqual(["ended p"]);
  });

  it("ends with the service's words if the key is refused, and if the service was never there", async () => {
    await using server = await serverUnderTest((_, response) =>
      sendProblem(response, 401, { code: "unauthenticated", title: "no", detail: "No key." }),
    );
    const options = {
      onBegin: () => undefined,
      onEvent: () => undefined,
      onLost: () => undefined,
      onBack: () => undefined,
      signal: new AbortController().signal,
    };
    await expect(watchApprovals(client({ url: server.url, service: "approvals", key: "k" }), options)).rejects.toMatchObject({
      exitCode: 4,
    });
    await expect(watchApprovals(client({ url: "http://127.0.0.1:1", service: "approvals", key: "k" }), options)).rejects.toMatchObject({
      exitCode: 3,
    });
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
  approversNeeded: 1,
  decisions: [],
} as const;
