import { describe, expect, it } from "vitest";
import { client } from "../http/client.ts";
import { sendJson, sendProblem, serverUnderTest } from "../testing/server-under-test.ts";
import { checkAgents } from "./check-agents.ts";

/** The store's time, which differs from this machine's time. */
const AS_OF = 1_000_000;

describe("doctor, checking the agents", () => {
  it("fails when no agent takes a run, by the store's clock, and says that nothing is lost", async () => {
    const found = await checked([run("rn_a", AS_OF - 75_000), run("rn_b", AS_OF - 16_000), run("rn_c", AS_OF - 1000)]);
    expect(found).toEqual({
      name: "agents",
      level: "fail",
      message: "2 runs wait to be taken by an agent, the oldest (rn_a) for 1 min.",
      fix: "Start the agent service, or see in its log why it does not take them. Nothing is lost: it takes them when it is back.",
    });
  });

  it("gives an agent the time that it needs to take a run", async () => {
    expect(await checked([run("rn_a", AS_OF - 15_000)])).toMatchObject({
      level: "ok",
      message: expect.stringMatching(/^1 run waits to be taken by one, for less than 15 ?s$/),
    });
  });

  it("fails when no agent sent a heartbeat for three intervals, even if no run waits", async () => {
    expect(await checked([], { name: "default", profiles: [], lastSeenAt: AS_OF - 91_000 })).toMatchObject({
      level: "fail",
      message: expect.stringMatching(/^No agent "default" has sent a heartbeat for 1 min.*: nobody takes runs\.$/),
      fix: expect.stringContaining("Start the agent service"),
    });
    expect(await checked([], { name: "default", profiles: [] })).toMatchObject({
      level: "fail",
      message: 'No agent "default" has ever run, so nobody takes runs.',
    });
  });

  it("says when the agent was last seen if it is alive", async () => {
    expect(await checked([], { name: "default", profiles: ["chat"], lastSeenAt: AS_OF - 12_000 })).toMatchObject({
      level: "ok",
      message: expect.stringMatching(/^"default" is alive, seen 12 s ago/),
    });
  });

  it("passes when every run was taken, and says what it knows this from", async () => {
    expect(await checked([])).toMatchObject({ level: "ok", message: "no run of this key waits for an agent to take it" });
  });
});

/** Checks the agents against a server with these runs. Without `agent` the server acts as an older gateway, which does not report agents. */
async function checked(runs: readonly object[], agent?: object) {
  await using server = await serverUnderTest((request, response) => {
    if (request.url?.startsWith("/v1/agents")) {
      if (agent) sendJson(response, { asOf: AS_OF, agents: [agent] });
      else sendProblem(response, 404, { code: "not_found", title: "Not found", detail: "No." });
      return;
    }
    sendJson(response, request.url?.startsWith("/v1/tools") ? { registryVersion: "1", tools: [], asOf: AS_OF } : { runs });
  });
  return await checkAgents(client({ url: server.url, service: "gateway", key: null }), 5);
}

function run(runId: string, createdAt: number) {
  const self = `/v1/runs/${runId}`;
  const links = { self, events: `${self}/events`, cancel: `${self}/cancel`, answers: `${self}/answers` };
  return { runId, conversationId: "cv_1", requester: "user", createdAt, links, status: "accepted" };
}
