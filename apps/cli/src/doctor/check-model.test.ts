import { describe, expect, it } from "vitest";
import { client } from "../http/client.ts";
import { sendJson, serverUnderTest } from "../testing/server-under-test.ts";
import { checkModel } from "./check-model.ts";

describe("doctor, checking the model", () => {
  it.each([
    [
      "authentication_failed",
      /set LLM_API_KEY of the agent.*ANTHROPIC_API_KEY.*restart the agent\. This check shows the last run until a new one has ended\.$/,
    ],
    ["model_timeout", /too slow: raise MODEL_TIMEOUT_MS/],
    ["network_failed", /address of the model's server/],
    ["provider_failed", /model's server/],
  ])("says what to do after a run that failed because of it: %s", async (code, remedy) => {
    await using server = await serverUnderTest((request, response) =>
      sendJson(response, request.url?.startsWith("/v1/runs") ? { runs: [{ ...FAILED, code }] } : CONTEXT),
    );
    expect(await checkModel(client({ url: server.url, service: "gateway", key: null }), 0)).toEqual({
      name: "model",
      level: "fail",
      message: `The last run failed (${code}).`,
      fix: expect.stringMatching(remedy) as string,
    });
  });

  it("warns of a turn that took long, with the measured time and the limits that it may meet", async () => {
    const turns = [turn(2, 1, 4000), turn(4, 2, 30_000), { ...turn(6, 3, 61_000), seed: true }];
    const events = [started, turns[0], resolved(3, 10_000), turns[1], { ...resolved(5, 31_000) }, turns[2]];
    expect(await withHistory(events)).toEqual({
      name: "model",
      level: "warn",
      message: "compatible tiny took 20 s for the turn of round 2 of the last run.",
      fix: expect.stringMatching(/MODEL_TIMEOUT_MS.*activeSeconds/) as string,
    });
  });

  it("warns while the newest run waits for its model, or has to ask it again, although no turn has ended", async () => {
    const waiting = async (wait: object) => {
      const run = { ...FAILED, status: "ready", waits: [{ kind: "model", says: "The model is asked again after 2 failures.", ...wait }] };
      await using server = await serverUnderTest(({ url = "" }, response) => {
        if (url.startsWith("/v1/tools")) return sendJson(response, { registryVersion: "1", tools: [], asOf: 100_000 });
        if (url.startsWith("/v1/runs?")) return sendJson(response, { runs: [run] });
        return sendJson(response, url.startsWith("/v1/runs/") ? run : CONTEXT);
      });
      return await checkModel(client({ url: server.url, service: "gateway", key: null }), 0);
    };
    const fix = expect.stringContaining('"toolbus runs why rn_1" says what happened so far.') as string;
    expect(await waiting({ since: 30_000 })).toMatchObject({ level: "warn", message: "The model has not answered rn_1 for 1 min.", fix });
    expect(await waiting({ until: 105_000 })).toMatchObject({
      level: "warn",
      message: "rn_1 has to ask its model once more: The model is asked again after 2 failures.",
      fix,
    });
  });

  it("does not count the wait for people, for tools or before a repeated call as the model's time", async () => {
    const retry = { sequence: 4, type: "model.retry", at: 60_000, code: "provider_failed", message: "Busy.", waitMs: 30_000 };
    const events = [started, turn(2, 1, 1000), resolved(3, 59_000), retry, turn(5, 2, 95_000)];
    expect(await withHistory(events)).toMatchObject({ level: "ok", message: "compatible tiny, last used" });
  });
});

const LINKS = { self: "", events: "", cancel: "", answers: "" };
const FAILED = { runId: "rn_1", conversationId: "cv_1", requester: "user:ann", createdAt: 1, links: LINKS, status: "failed" } as const;
const USAGE = { inputTokens: 0, outputTokens: 0, modelCalls: 0, toolCalls: 0 };
const CONTEXT = {
  conversationId: "cv_1",
  profile: "chat",
  messages: 1,
  runs: 1,
  usage: USAGE,
  provider: "compatible",
  model: "tiny",
  toolCalls: [],
  traceId: null,
};

const started = { sequence: 1, type: "run.started", at: 0, profile: "chat", input: {}, tools: [], registryVersion: "1" };

function turn(sequence: number, round: number, at: number): object {
  const said = { text: "", calls: [], provider: "compatible", model: "tiny", usage: USAGE };
  return { sequence, type: "turn", at, round, seed: false, ...said };
}

function resolved(sequence: number, at: number): object {
  const ended = { callId: "rn_1.1.0", tool: "look", status: "ok", latencyMs: 1, content: "{}", usage: USAGE };
  return { sequence, type: "call.resolved", at, ...ended };
}

/** Checks the model of a last run that has ended well with these events. */
async function withHistory(events: readonly unknown[]) {
  await using server = await serverUnderTest((request, response) => {
    const { url = "" } = request;
    if (url.includes("/history")) return sendJson(response, { runId: "rn_1", events });
    return sendJson(response, url.startsWith("/v1/runs") ? { runs: [{ ...FAILED, status: "done" }] } : CONTEXT);
  });
  return await checkModel(client({ url: server.url, service: "gateway", key: null }), 0);
}
