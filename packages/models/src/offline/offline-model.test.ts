import type { JsonObject, TranscriptEntry } from "@toolbus/contracts";
import { describe, expect, it } from "vitest";
import { describeModelProvider } from "../conformance/index.ts";
import type { ModelRequest } from "../model-provider.ts";
import { offlineModel } from "./offline-model.ts";

const runId = "rn_00_1";

function requestWith(input: JsonObject, transcript: readonly TranscriptEntry[] = [], maxTokens = 4096): ModelRequest {
  const tools = ["get_release_summary", "file_risk_report"].map((name) => ({ name, description: name, parameters: {} }));
  return { system: "Investigate.", transcript, tools, maxTokens, run: { runId, profile: "release-investigation", input } };
}

/** Returns the entries before the first turn, with a summary from a seed call. */
function seeded(summary: JsonObject): readonly TranscriptEntry[] {
  const call = { id: "seed_get_release_summary", callId: `${runId}.0.0`, name: "get_release_summary", arguments: '{"release_id":"v1"}' };
  return [
    { type: "user", runId, text: "Investigate v1.", at: 0 },
    { type: "assistant", runId, round: 0, text: "", calls: [call], at: 0, provider: "toolbus", model: "seed" },
    {
      type: "result",
      runId,
      round: 0,
      id: call.id,
      callId: call.callId,
      name: call.name,
      status: "ok",
      content: JSON.stringify(summary),
      isError: false,
      at: 0,
    },
  ];
}

async function complete(request: ModelRequest) {
  return offlineModel().complete(request, { signal: AbortSignal.timeout(20_000), onText: () => {} });
}

describeModelProvider("offline", {
  open: offlineModel,
  textRequest: requestWith({}),
  callRequest: requestWith({ releaseId: "v1" }, seeded({ tests: { passed: 1, failed: 0 } })),
  deterministic: true,
});

describe("offline model", () => {
  it("numbers its calls after those of the transcript, including seed calls", async () => {
    expect((await complete(requestWith({ releaseId: "v1" }))).calls[0]?.id).toBe("off_0");
    expect((await complete(requestWith({ releaseId: "v1" }, seeded({})))).calls[0]?.id).toBe("off_1");
  });

  it("finds a free id if the transcript was trimmed", async () => {
    const trimmed = seeded({}).map((entry): TranscriptEntry => {
      if (entry.type === "assistant") return { ...entry, calls: entry.calls.map((call) => ({ ...call, id: "off_1" })) };
      return entry.type === "result" ? { ...entry, id: "off_1" } : entry;
    });
    expect((await complete(requestWith({ releaseId: "v1" }, trimmed))).calls[0]?.id).toBe("off_2");
  });

  it("lets other work run between the pieces of its text", async () => {
    const order: string[] = [];
    const done = offlineModel().complete(requestWith({}), { signal: AbortSignal.timeout(20_000), onText: () => void order.push("piece") });
    setImmediate(() => order.push("other work"));
    await done;
    expect(order.indexOf("other work")).toBeGreaterThan(0);
    expect(order.lastIndexOf("piece")).toBeGreaterThan(order.indexOf("other work"));
  });

  it("truncates a reply that is longer than allowed, and then makes no call", async () => {
    const reply = await complete(requestWith({ releaseId: "v1" }, seeded({}), 20));
    expect(reply).toMatchObject({ stop: "max_tokens", calls: [], usage: { outputTokens: 20, estimated: true } });
    expect(reply.text).toHaveLength(80);
  });

  it("estimates usage at four characters per token", async () => {
    const transcript = seeded({});
    const { usage, text } = await complete({ ...requestWith({}), transcript: transcript.slice(0, 1), system: "1234" });
    expect(usage).toEqual({
      inputTokens: Math.ceil((4 + "Investigate v1.".length) / 4),
      outputTokens: Math.ceil(text.length / 4),
      estimated: true,
    });
  });

  it("keeps its report within the length of a reply and the limits of a report, whatever a summary contains", async () => {
    const many = (item: unknown) => JSON.parse(JSON.stringify(Array(2000).fill(item)));
    const long = `hotfix payment auth security migrate ${"x".repeat(5000)}`;
    const summary = {
      changes: many(long),
      change_count: 1e6,
      authors: [long],
      areas: many({ area: `terraform/${long}` }),
      files: { changed: 1e6, top: [{ path: "a/yarn.lock" }] },
      size: { lines: 1e9 },
      tests: { passed: 0, failed: 1e6, skipped: 1e9, failures: many({ suite: long, name: long }) },
      deployment_metrics: { error_rate: 1, response_time_p95: 1e9, baseline: { error_rate: 0, response_time_p95: 1 } },
      notes: many(long),
    };
    const { stop, calls } = await complete(requestWith({ releaseId: "r".repeat(200) }, seeded(summary)));
    expect(stop).toBe("tool_use");
    const { severity, findings } = JSON.parse(calls[0]?.arguments ?? "{}");
    expect(severity).toBe("high");
    expect(findings.length).toBeLessThanOrEqual(64);
    for (const finding of findings) expect(finding.length).toBeLessThanOrEqual(1000);
  });
});
