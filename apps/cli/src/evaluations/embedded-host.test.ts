import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Observation } from "@toolbus/evals";
import { startModelServer } from "@toolbus/model-servers";
import { describe, expect, it } from "vitest";
import { answer, hostUnderTest, releaseScenario } from "../testing/evaluation-under-test.ts";

const callOf = (observation: Observation, tool: string) => observation.calls.find((call) => call.tool === tool);

describe("a scenario on the embedded host", () => {
  it("has the answers of its fixtures and the decision of its approver, with the comment, and calls no target", async () => {
    let asked = 0;
    const target = createServer((_, response) => (asked++, response.end("{}")));
    await new Promise<void>((resolve) => target.listen(0, "127.0.0.1", resolve));
    await using closing = new AsyncDisposableStack();
    closing.defer(() => new Promise<void>((resolve) => target.close(() => resolve())));
    const scenario = releaseScenario("v1");
    await using t = await hostUnderTest([scenario], {
      env: { RELEASE_API_URL: `http://127.0.0.1:${(target.address() as AddressInfo).port}` },
    });
    const observation = await t.run(scenario);
    expect(observation).toMatchObject({ end: "completed", report: { filing: { status: "filed", reportId: "report-of-v1" } } });
    expect(callOf(observation, "get_release_summary")).toMatchObject({
      status: "ok",
      round: 0,
      content: expect.stringContaining("Change only in v1"),
    });
    expect(callOf(observation, "file_risk_report")).toMatchObject({
      kind: "write",
      held: true,
      status: "ok",
      decision: { outcome: "approved", by: ["approver:local"] },
    });
    expect(asked).toBe(0);
  });

  it("never sees the fixtures of another one, although all of them run at the same time", async () => {
    const ids = Array.from({ length: 12 }, (_, n) => `release-${n}`);
    // Each fixture answers whatever the arguments are, so only the run decides which one answers.
    const scenarios = ids.map((id) => {
      const { fixtures, ...scenario } = releaseScenario(id);
      return {
        ...scenario,
        fixtures: {
          ...fixtures,
          get_release_summary: [answer({ ...(Object(fixtures["get_release_summary"]?.[0]?.answer).result as object) })],
        },
      };
    });
    await using t = await hostUnderTest(scenarios);
    const observations = await Promise.all(scenarios.map((scenario) => t.run(scenario)));
    expect(
      observations.map((observation) => /Change only in ([\w-]+)/.exec(callOf(observation, "get_release_summary")?.content ?? "")?.[1]),
    ).toEqual(ids);
    expect(observations.map(({ report }) => report?.filing)).toMatchObject(
      ids.map((id) => ({ status: "filed", reportId: `report-of-${id}` })),
    );
  });

  it("ends as cancelled when its write waits and nobody decides", async () => {
    const scenario = releaseScenario("v1", { approvals: { file_risk_report: { decide: "wait" } } });
    await using t = await hostUnderTest([scenario]);
    const observation = await t.run(scenario);
    expect(observation.end).toBe("cancelled");
    const write = callOf(observation, "file_risk_report");
    expect(write).toMatchObject({ held: true });
    expect(write?.status).not.toBe("ok");
  });

  it("tells the agent what the approver denied or wants to have changed, and approves the next version", async () => {
    const denied = releaseScenario("v1", { approvals: { file_risk_report: { decide: "deny", comment: "Not on a Friday." } } });
    const revised = releaseScenario("v2", { approvals: { file_risk_report: { decide: "revise", comment: "Severity high." } } });
    await using t = await hostUnderTest([denied, revised]);
    const first = await t.run(denied);
    expect(callOf(first, "file_risk_report")).toMatchObject({
      decision: { outcome: "rejected" },
      content: expect.stringContaining("Not on a Friday."),
    });
    const writes = (await t.run(revised)).calls.filter(({ tool }) => tool === "file_risk_report");
    expect(writes.map(({ decision }) => decision?.outcome)).toEqual(["revision_requested", "approved"]);
  });

  it("gives the error of a fixture, and says which call no fixture answers", async () => {
    const failing = releaseScenario("v1", {
      fixtures: {
        get_release_summary: [{ when: null, times: null, answer: { kind: "error", code: "unavailable", message: "It is down." } }],
      },
    });
    const empty = releaseScenario("v2", { fixtures: {} });
    await using t = await hostUnderTest([failing, empty]);
    expect(callOf(await t.run(failing), "get_release_summary")).toMatchObject({
      status: "error",
      content: expect.stringMatching(/unavailable.*It is down\./s),
    });
    expect(callOf(await t.run(empty), "get_release_summary")).toMatchObject({
      status: "not_executed",
      content: expect.stringMatching(/not_recorded.*The scenario has no answer of get_release_summary\. Nothing was called\./s),
    });
  });

  it("plays its turns over all messages of a conversation, with a tool that only the suite defines", async () => {
    const scenario = releaseScenario("talk", {
      input: { kind: "messages", messages: ["What is the weather?", "And the date?"] },
      profile: "chat",
      fixtures: { get_weather: [answer({ degrees: 7 })] },
      approvals: {},
      turns: [
        { text: "", calls: [{ tool: "get_weather", arguments: { city: "Oslo" } }] },
        { text: "It is cold.", calls: [] },
        { text: "It is Monday.", calls: [] },
      ],
    });
    const tools = [
      {
        name: "get_weather",
        kind: "read",
        description:
          'Gets the weather of one city.\nInput: city, the name of the city, 1 to 80 characters, for example "Oslo".\nOutput: a JSON object with degrees.\nDo not use it for forecasts.',
        parameters: {
          type: "object",
          properties: { city: { type: "string", minLength: 1, maxLength: 80, description: 'Name of the city, for example "Oslo"' } },
          required: ["city"],
          additionalProperties: false,
        },
      },
    ];
    await using t = await hostUnderTest([scenario], { tools });
    expect(t.host.model).toBe("scripted turns");
    expect(await t.run(scenario)).toMatchObject({ end: "completed", answer: "It is Monday.", calls: [], usage: { modelCalls: 1 } });
  });
});

describe("a variant", () => {
  it("sends its prompt, its descriptions and its model's name to the model, and the default one does not", async () => {
    await using closing = new AsyncDisposableStack();
    const server = await startModelServer("compatible", { brain: () => ({ text: "Done." }) });
    closing.defer(() => server.close());
    const env = { LLM_PROVIDER: "compatible", LLM_MODEL: server.model, LLM_BASE_URL: server.url, LLM_API_KEY: server.key };
    const scenario = releaseScenario("v1");
    const variant = {
      name: "shorter",
      systemPrompt: "Be very short about releases.",
      descriptions: { get_release_summary: 'Gets a release. Another text, for example {"release_id": "v1"}.' },
      model: { provider: "compatible", name: server.model },
    };
    const sent = (): string => JSON.stringify(server.requests.at(-1)?.body);
    {
      await using t = await hostUnderTest([scenario], { env });
      await t.run(scenario);
      expect(sent()).toContain("You investigate one software release");
    }
    await using t = await hostUnderTest([scenario], { env, variant });
    await t.run(scenario);
    expect(sent()).toContain("Be very short about releases.");
    expect(sent()).toContain("Another text, for example");
    expect(sent()).not.toContain("You investigate one software release");
    expect(server.requests).toHaveLength(2);
    expect(t.host.model).toBe(`compatible ${server.model}`);
  });

  it("of a profile that does not exist says which there are", async () => {
    await expect(hostUnderTest([releaseScenario("v1")], { variant: { name: "other", profile: "nope" } })).rejects.toMatchObject({
      exitCode: 1,
      message: expect.stringMatching(/^The variant other needs the profile "nope", and there are only alert-investigation, chat/),
    });
  });
});
