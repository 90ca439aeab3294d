import { randomUUID } from "node:crypto";
import { type AllInOne, startAllInOne } from "@toolbus/all-in-one";
import type { RunEvent } from "@toolbus/contracts";
import { type ReleaseApi, type ReleaseSummary, startReleaseApi } from "@toolbus/example-release-api";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { approve, call, follow, heldApproval } from "./testing/http-client.ts";
import { someRelease } from "./testing/releases.ts";
import { scratch } from "./testing/scratch.ts";

const DESK = `name: desk
description: Looks a release up before anything is said.
systemPrompt: Be brief.
tools: [get_release_summary]
limits: { rounds: 3, activeSeconds: 20 }
toolChoice: none
`;

const bad: ReleaseSummary = {
  ...someRelease("v2"),
  tests: { passed: 140, failed: 2, skipped: 1, failures: [{ suite: "checkout", name: "charges once", message: "charged twice" }] },
};

describe("a system without a key", () => {
  const files = scratch();
  let api: ReleaseApi;
  let system: AllInOne;
  const requester = () => ({ gateway: system.gatewayUrl, user: system.keys.user });
  const decider = () => ({ approvals: system.approvalsUrl, approver: system.keys.approver });

  beforeAll(async () => {
    api = await startReleaseApi({
      directory: files.at("api"),
      releases: new Map([["v2", bad]]),
      clock: () => Date.now(),
      newId: randomUUID,
    });
    files.file("profiles/desk.yaml", DESK);
    system = await startAllInOne({
      directory: files.data(),
      env: {
        RELEASE_API_URL: api.url,
        PROFILES_DIR: files.at("profiles"),
        GATEWAY_PORT: "0",
        APPROVALS_PORT: "0",
        LOG_LEVEL: "silent",
      },
    });
  });
  afterAll(async () => {
    await system?.stop();
    await api?.stop();
    files.remove();
  });

  /** Starts a conversation with a profile. The returned function sends a message in the conversation and returns the id of the run. */
  async function talk(profile: string): Promise<(text: string) => Promise<string>> {
    const { body } = await call(`${system.gatewayUrl}/v1/conversations`, system.keys.user, { profile });
    const { conversationId } = body as { readonly conversationId: string };
    return async (text) => {
      const sent = await call(`${system.gatewayUrl}/v1/conversations/${conversationId}/messages`, system.keys.user, { text });
      return (sent.body as { readonly runId: string }).runId;
    };
  }

  const answerOf = async (runId: string): Promise<string> => textOf(await follow(requester(), runId));

  it("chats: it lists the tools, calls one, and reports the outcome", async () => {
    const say = await talk("chat");
    const suggested = suggestionsIn(await answerOf(await say("Hello!")));
    expect(suggested).toContain('get_release_summary {"release_id": "v2"}');
    expect(await answerOf(await say('Please call get_release_summary {"release_id": "v2"}'))).toContain('- version: "v2"');
    expect(await answerOf(await say('get_release_summary {"release_id": "v9"}'))).toContain(
      "get_release_summary failed (release_not_found)",
    );
    expect(await answerOf(await say('get_relase_summary {"release_id": "v2"}'))).toContain("did you mean get_release_summary?");
    expect(await answerOf(await say('get_release_summary {"release": "v2"}'))).toContain(
      "get_release_summary was not run. The arguments of",
    );
  });

  it("suggests lines that work when they are sent as they are", async () => {
    const say = await talk("chat");
    const all = suggestionsIn(await answerOf(await say("Hello!")));
    // The API of this test has no evidence beside its summaries, so there are no arguments with which these tools work.
    const suggested = all.filter((line) => !/^get_(?:code_changes|past_releases|test_details|traces) /.test(line));
    expect(all).toHaveLength(suggested.length + 4);
    expect(suggested.map((line) => line.split(" ")[0])).toEqual(["file_risk_report", "get_release_summary", "ask_user"]);
    for (const line of suggested) {
      const runId = await (await talk("chat"))(line);
      const [tool = ""] = line.split(" ");
      if (tool === "file_risk_report") await approve(decider(), await heldApproval(requester(), runId));
      if (tool === "ask_user") {
        const asked = (await follow(requester(), runId, ({ type }) => type === "call.asked")).at(-1);
        expect(asked).toMatchObject({ type: "call.asked", question: "Which release do you mean?" });
        const callId = asked?.type === "call.asked" ? asked.callId : "";
        await call(`${system.gatewayUrl}/v1/runs/${runId}/answers`, system.keys.user, { callId, text: "v2" });
      }
      expect(await answerOf(runId)).toContain(`${tool} answered:`);
    }
  });

  it("runs a write that a message names, when a person has approved it", async () => {
    const runId = await (await talk("direct"))('file_risk_report {"release_id": "v2", "severity": "low", "findings": ["By hand."]}');
    await approve(decider(), await heldApproval(requester(), runId));
    expect(await answerOf(runId)).toContain("file_risk_report answered:\n- report_id:");
    expect(api.reports().slice(-1)).toMatchObject([{ release_id: "v2", severity: "low", findings: ["By hand."] }]);
  });

  it("asks the person when the message asks for it, and reports the answer", async () => {
    const runId = await (await talk("chat"))("Ask me which release I mean.");
    const asked = (await follow(requester(), runId, (event) => event.type === "call.asked")).at(-1);
    if (asked?.type !== "call.asked") throw new Error(`Nothing was asked: ${asked?.type}`);
    expect(asked.question).toBe("Which release I mean?");
    const answered = await call(`${system.gatewayUrl}/v1/runs/${runId}/answers`, system.keys.user, { callId: asked.callId, text: "v2" });
    expect(answered.status).toBe(202);
    expect(await answerOf(runId)).toContain('ask_user answered:\n- answer: "v2"');
  });

  it("investigates an alert: what its labels name is looked up first, and the report has cause, severity and evidence", async () => {
    const alert = {
      labels: { alertname: "HighErrorRate", severity: "warning", service: "checkout-api", release: "v2" },
      annotations: { summary: "5 % of checkouts fail" },
      status: "firing",
    };
    const { body } = await call(`${system.gatewayUrl}/v1/investigations`, system.keys.user, { alert });
    const events = await follow(requester(), (body as { readonly runId: string }).runId);
    const end = events.at(-1);
    if (end?.type !== "run.completed") throw new Error(`It ended as ${end?.type}.`);
    expect(end.report).toMatchObject({
      subject: "HighErrorRate",
      cause: expect.stringContaining(
        'Release "v2", which the alert names, is the likely cause: 1 failed test in a critical area (payments)',
      ),
      severity: "high",
      filing: { status: "not_attempted" },
    });
    expect(end.report?.findings).toContain('The alert says: "5 % of checkouts fail".');
    expect(end.report?.evidence).toMatchObject([{ transcriptId: "seed_get_release_summary", tool: "get_release_summary", status: "ok" }]);
    expect(end.text).toContain("The severity is high");
    expect(events.flatMap((event) => (event.type === "turn" ? event.calls.map(({ tool }) => tool) : []))).toEqual([
      "get_release_summary",
      "conclude",
    ]);
  });

  it("says plainly that no cause was found for an alert that names no release", async () => {
    const { body } = await call(`${system.gatewayUrl}/v1/investigations`, system.keys.user, {
      alert: { labels: { alertname: "DiskFull" } },
    });
    const end = (await follow(requester(), (body as { readonly runId: string }).runId)).at(-1);
    if (end?.type !== "run.completed") throw new Error(`It ended as ${end?.type}.`);
    expect(end.report).toMatchObject({ subject: "DiskFull", cause: null, severity: "medium", evidence: [] });
    expect(end.report?.findings[0]).toBe("No cause was found.");
    expect(end.text).toContain("I found no cause");
  });

  it("has the profiles of a directory besides the built-in ones", async () => {
    const say = await talk("desk");
    expect(await answerOf(await say('get_release_summary {"release_id": "v2"}'))).toContain("this conversation has none");
    const { body } = await call(`${system.gatewayUrl}/v1/conversations`, system.keys.user, { profile: "unheard-of" });
    expect(JSON.stringify(body)).toContain("alert-investigation, chat, desk, direct, release-investigation");
  });

  it("does not start with a profile that cannot be used, and says which line is wrong", async () => {
    const file = files.file("broken/desk.yaml", DESK.replace("rounds: 3", "rounds: none"));
    const env = { RELEASE_API_URL: api.url, PROFILES_DIR: files.at("broken"), GATEWAY_PORT: "0", APPROVALS_PORT: "0", LOG_LEVEL: "silent" };
    await expect(startAllInOne({ directory: files.data(), env })).rejects.toThrow(
      `The profile file ${file} cannot be used: line 5: limits.rounds must be integer. Fix it or remove it`,
    );
  });
});

/** Returns the calls that an answer lists. */
function suggestionsIn(answer: string): readonly string[] {
  return answer.split("\n").flatMap((line) => (line.startsWith("- ") ? [line.slice(2)] : []));
}

function textOf(events: readonly RunEvent[]): string {
  const end = events.at(-1);
  return end?.type === "run.completed" ? end.text : `${end?.type}: ${end?.type === "run.failed" ? end.message : ""}`;
}
