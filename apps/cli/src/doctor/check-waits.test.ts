import { describe, expect, it } from "vitest";
import { client } from "../http/client.ts";
import { sendJson, serverUnderTest } from "../testing/server-under-test.ts";
import { checkWaits } from "./check-waits.ts";

/** The store's time, which differs from this machine's time. */
const NOW = 1_000_000;

describe("doctor, checking runs that wait", () => {
  it("fails on a run that waits for a worker or approvals for over a minute, in the run's own words, and names the command that explains it", async () => {
    const found = await checked({
      rn_a: [{ kind: "worker", says: "There is no worker for restart: the last one stopped at 05:17.", since: NOW - 61_000 }],
      rn_b: [{ kind: "approvals", says: "Approvals has not taken its request.", since: NOW - 300_000 }],
    });
    expect(found).toEqual({
      name: "runs",
      level: "fail",
      message: "rn_b waits for 5 min: Approvals has not taken its request. 1 more waits like it.",
      fix: expect.stringContaining('runs why rn_b" says what happened so far') as string,
    });
  });

  it("accepts runs that wait for people, or not for long", async () => {
    const found = await checked({
      rn_a: [{ kind: "worker", says: "There is no worker.", since: NOW - 59_000 }],
      rn_b: [{ kind: "approval", says: "A person decides.", since: NOW - 900_000 }],
    });
    expect(found).toMatchObject({ level: "ok", message: `${NONE}; 2 runs wait for a shorter time or for something else` });
  });

  it("says so if none waits", async () => {
    expect(await checked({})).toMatchObject({ level: "ok", message: NONE });
  });

  it("says how many runs wait for people, so that nobody takes the service for their decisions", async () => {
    expect(await checked({}, { awaiting_approval: 2 })).toMatchObject({
      level: "ok",
      message: `${NONE}; 2 runs wait for people to decide or to answer`,
    });
    expect(await checked({}, { awaiting_answer: 1 })).toMatchObject({ message: `${NONE}; 1 run waits for people to decide or to answer` });
    expect(await checked({}, { awaiting_approval: 20, awaiting_answer: 1 })).toMatchObject({
      message: `${NONE}; at least 21 runs wait for people to decide or to answer`,
    });
  });
});

const NONE = "none of this key waits for over 1 min for a worker or for the approvals service";

async function checked(waiting: Readonly<Record<string, readonly object[]>>, people: Readonly<Record<string, number>> = {}) {
  await using server = await serverUnderTest((request, response) => {
    if (request.url === "/v1/tools") return sendJson(response, { registryVersion: "1", tools: [], asOf: NOW });
    const [, id] = /^\/v1\/runs\/(\w+)$/.exec(request.url ?? "") ?? [];
    const [, status = ""] = /status=(awaiting_\w+)/.exec(request.url ?? "") ?? [];
    if (status !== "") sendJson(response, { runs: Array.from({ length: people[status] ?? 0 }, (_, n) => ({ ...run(`rn_${n}`), status })) });
    else if (id === undefined) sendJson(response, { runs: Object.keys(waiting).map(run) });
    else sendJson(response, { ...run(id), waits: waiting[id] });
  });
  return await checkWaits(client({ url: server.url, service: "gateway", key: null }), NOW + 3_600_000);
}

function run(runId: string) {
  const self = `/v1/runs/${runId}`;
  const links = { self, events: `${self}/events`, cancel: `${self}/cancel`, answers: `${self}/answers` };
  return { runId, conversationId: "cv_1", requester: "user", createdAt: 1, links, status: "waiting" };
}
