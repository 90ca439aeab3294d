import type { RunRecord } from "@toolbus/contracts";
import { RECORDED_RUN as RUN, runRecord } from "@toolbus/contracts/testing";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { scenarioFaults } from "../scenario/scenario-faults.ts";
import { scenarioOf } from "../scenario/scenario-of.ts";
import { parseScenarioFile } from "../scenario/suite-file.ts";
import { scenarioOfRecord } from "./scenario-of-record.ts";

const USAGE = { inputTokens: 1, outputTokens: 1, modelCalls: 1, toolCalls: 1 };

type Call = RunRecord["calls"][number];

function call(index: number, toolName: string, args: object, part: Partial<Call> = {}): Call {
  return {
    callId: `${RUN}.1.${index}`,
    round: 1,
    index,
    transcriptId: `c${index}`,
    toolName,
    toolVersion: "1",
    toolHash: "",
    toolset: "crm",
    kind: "read",
    arguments: JSON.stringify(args),
    state: "resolved",
    dispatch: 1,
    createdAt: 1,
    sentAt: 1,
    notAfter: 2,
    result: { status: "ok", content: '{"found":true}', isError: false },
    long: false,
    receipt: false,
    ...part,
  };
}

function record(calls: readonly Call[], events: readonly object[] = []): RunRecord {
  return {
    ...runRecord("Ask una@example.com."),
    calls: [...calls],
    events: [
      ...events,
      { sequence: 9, type: "run.completed", at: 2, text: "Done.", truncated: false, report: null, usage: USAGE },
    ] as RunRecord["events"],
  };
}

const scenario = (from: RunRecord) => parse(scenarioOfRecord(from).yaml) as Record<string, never>;

describe("a recorded run as a scenario", () => {
  it("has its input, the answers of tools, and what happened", () => {
    expect(scenario(record([call(0, "find", { n: 1 })]))).toMatchObject({
      id: "run-0000000001",
      profile: "chat",
      fixtures: { find: [{ when: { n: 1 }, result: { found: true } }] },
      expect: { end: "completed", tools: { called: [{ tool: "find", arguments: { n: 1 }, withinRound: 1, status: "ok" }] } },
    });
  });

  it("is a scenario that a suite accepts", () => {
    const failed = { status: "error", content: "{}", isError: true } as const;
    const error = { code: "unavailable", class: "ToolTransientError", message: "Later.", retryable: true } as const;
    const made = scenario(record([call(0, "find", { n: 1 }, { result: { ...failed, error } }), call(1, "find", { n: 1 })]));
    const parsed = parseScenarioFile(made);
    expect(parsed).toMatchObject({ ok: true });
    expect(parsed.ok ? scenarioFaults(parsed.value) : null).toEqual([]);
  });

  it("has the facts of a release and the measurements beside them", () => {
    const input = { changes: { format: 1 }, measurements: { tests: { passed: 1, failed: 0, skipped: 0, failures: [] } }, note: "soon" };
    const from = record([call(0, "find", { n: 1 })]);
    const made = scenario({ ...from, run: { ...from.run, input } });
    expect(made["input"]).toEqual(input);
    const parsed = parseScenarioFile(made);
    if (!parsed.ok) throw new Error("The scenario has its form.");
    expect(scenarioFaults(parsed.value)).toEqual([]);
    expect(scenarioOf(parsed.value, {}, {}, {}).input).toEqual({ kind: "release", ...input });
    const { changes: _, ...withoutChanges } = input;
    expect(scenarioFaults({ ...parsed.value, input: { ...withoutChanges, release: "v1" } })).toEqual([
      { path: "/input/measurements", message: "belongs to changes" },
    ]);
  });

  it("gives equal calls with different answers one after the other", () => {
    const failed = { status: "error", content: "{}", isError: true } as const;
    const error = { code: "unavailable", class: "ToolTransientError", message: "Later.", retryable: true } as const;
    const { fixtures } = scenario(record([call(0, "find", { n: 1 }, { result: { ...failed, error } }), call(1, "find", { n: 1 })]));
    expect(fixtures).toEqual({
      find: [
        { when: { n: 1 }, error: { code: "unavailable", message: "Later." }, times: 1 },
        { when: { n: 1 }, result: { found: true } },
      ],
    });
  });

  it("has the answers and the turns of the earlier runs of its conversation, because it sends their messages again", () => {
    const own = record([call(1, "find", { n: 2 })]);
    const earlier = "rn_05_01JD0000000000000000000000";
    const turn = (runId: string, round: number, text: string, calls: readonly object[] = []) => ({
      type: "assistant",
      runId,
      round,
      text,
      calls,
      at: 1,
      provider: "anthropic",
      model: "m",
    });
    const asked = (n: number, name: string, args: object) => ({
      id: `c${n}`,
      callId: `${earlier}.1.${n}`,
      name,
      arguments: JSON.stringify(args),
    });
    const result = (n: number, name: string, status: string, content: object) => ({
      type: "result",
      runId: earlier,
      round: 1,
      id: `c${n}`,
      callId: `${earlier}.1.${n}`,
      name,
      status,
      content: JSON.stringify(content),
      isError: status !== "ok",
      at: 1,
    });
    const entries = [
      { type: "user", runId: earlier, text: "First", at: 1 },
      turn(earlier, 1, "", [asked(0, "find", { n: 1 }), asked(1, "look", {}), asked(2, "pay", { to: "amy" })]),
      result(0, "find", "ok", { found: false }),
      result(1, "look", "error", { error: "unavailable", message: "Later." }),
      result(2, "pay", "denied", { error: "rejected", message: "No." }),
      turn(earlier, 2, "Done."),
      { type: "user", runId: RUN, text: "Second", at: 2 },
      turn(RUN, 1, "Found."),
    ];
    const pay = { toolset: "crm", hash: "h", definition: { name: "pay", kind: "write" } };
    const from = { ...own, tools: [pay], transcript: entries.map((entry, n) => ({ sequence: n + 1, entry })) } as unknown as RunRecord;
    expect(parse(scenarioOfRecord(from, { golden: true }).yaml)).toMatchObject({
      input: { messages: ["First", "Second"] },
      fixtures: {
        find: [
          { when: { n: 1 }, result: { found: false } },
          { when: { n: 2 }, result: { found: true } },
        ],
        look: [{ when: {}, error: { code: "unavailable", message: "Later." } }],
      },
      approvals: { pay: { decide: "deny" } },
      model: [{ calls: [{ tool: "find" }, { tool: "look" }, { tool: "pay" }] }, { text: "Done." }, { text: "Found." }],
    });
  });

  it("has the decision of people, and not that of the policy", () => {
    const events = [
      { sequence: 1, type: "call.held", at: 1, callId: `${RUN}.1.0`, tool: "pay", approvalId: "a", tier: "high", effect: "", expiresAt: 1 },
      { sequence: 2, type: "call.decided", at: 1, callId: `${RUN}.1.0`, tool: "pay", outcome: "approved", decidedBy: ["amy"] },
      { sequence: 3, type: "call.decided", at: 1, callId: `${RUN}.1.1`, tool: "note", outcome: "approved", decidedBy: ["policy"] },
    ];
    const made = scenario(record([call(0, "pay", {}, { kind: "write" }), call(1, "note", {}, { kind: "write" })], events));
    expect(made).toMatchObject({
      approvals: { pay: { decide: "approve" } },
      expect: {
        approvals: [
          { tool: "pay", decidedBy: "people" },
          { tool: "note", decidedBy: "policy" },
        ],
      },
    });
    expect(Object.keys(made["approvals"] ?? {})).toEqual(["pay"]);
  });

  it.each(["{bad", "[1]", "null"])("is refused with the turns of a model whose arguments are no JSON object: %s", (written) => {
    const base = record([]);
    const calls = [{ id: "c0", callId: `${RUN}.1.0`, name: "find", arguments: written }];
    const turn = { type: "assistant", runId: RUN, round: 1, text: "", calls, at: 1, provider: "openai", model: "m" } as const;
    const recorded = { ...base, transcript: [...base.transcript, { sequence: 2, entry: turn }] };
    expect(() => scenarioOfRecord(recorded, { golden: true })).toThrow("The model called find with arguments that are not a JSON object");
    expect(scenarioOfRecord(recorded).yaml).not.toContain("model:");
  });

  it("masks personal data, credentials and secret arguments everywhere, and counts them", () => {
    const secret = "correct horse battery";
    const result = {
      status: "ok",
      content: JSON.stringify({ echo: secret, mail: "una@example.com", key: "sk-abcdefghijklmnop1234" }),
      isError: false,
    } as const;
    const { yaml, masked } = scenarioOfRecord(record([call(0, "login", { password: secret }, { result })]));
    for (const text of [secret, "una@example.com", "sk-abcdefghijklmnop1234"]) expect(yaml).not.toContain(text);
    expect(yaml).toContain("[masked: secret]");
    expect(new Map(masked)).toEqual(
      new Map([
        ["secret", expect.any(Number)],
        ["e-mail address", expect.any(Number)],
      ]),
    );
    // The same argument has the same mark in the fixture and in the expectation.
    const made = parse(yaml) as { readonly fixtures: { readonly login: readonly { readonly when: object }[] } };
    expect(made.fixtures.login[0]?.when).toEqual({ password: "[masked: secret]" });
  });
});
