import { failedResult, type JsonObject, type ToolResult, type TranscriptEntry } from "@toolbus/contracts";
import { describe, expect, it } from "vitest";
import { nextStep } from "../next-step.ts";
import { SUMMARY_TOOL } from "../release-step.ts";
import { CONCLUDE_TOOL } from "./alert-step.ts";

const runId = "rn_00_2";
const alert = { labels: { alertname: "HighErrorRate", severity: "critical", service: "payments", release: "v2" } };
const summary = {
  release_id: "v2",
  changes: ["Show the date"],
  tests: { passed: 10, failed: 0, skipped: 0 },
  deployment_metrics: { error_rate: 0.04, response_time_p95: 1, baseline: { error_rate: 0.001, response_time_p95: 1 } },
};
const ok = (content: JsonObject): ToolResult => ({ status: "ok", content: JSON.stringify(content), isError: false });
const recorded = ok({ recorded: true });
const down = failedResult("unavailable", "It does not answer.");

interface Seed {
  readonly args: JsonObject;
  readonly result: ToolResult;
}

/** Runs an investigation that begins with these lookups, and answers its calls in order. */
function investigate(
  seeds: readonly Seed[],
  answers: readonly ToolResult[],
  { given = alert as JsonObject, tools = [SUMMARY_TOOL, CONCLUDE_TOOL] as readonly string[] } = {},
) {
  const transcript: TranscriptEntry[] = [{ type: "user", runId, text: "Investigate this alert.", at: 0 }];
  const turn = (round: number, made: readonly { name: string; arguments: string }[], results: readonly ToolResult[], text = "") => {
    const calls = made.map((call, n) => ({ id: `c${round}.${n}`, callId: `${runId}.${round}.${n}`, ...call }));
    transcript.push({ type: "assistant", runId, round, text, calls, at: 0, provider: "offline", model: "rules-1" });
    calls.forEach(({ id, callId, name }, n) => {
      const { status, content, isError } = results[n] ?? recorded;
      transcript.push({ type: "result", runId, round, id, callId, name, status, content, isError, at: 0 });
    });
  };
  if (seeds.length > 0)
    turn(
      0,
      seeds.map(({ args }) => ({ name: SUMMARY_TOOL, arguments: JSON.stringify(args) })),
      seeds.map(({ result }) => result),
    );
  const request = {
    system: "",
    transcript,
    tools: tools.map((name) => ({ name, description: name, parameters: {} })),
    maxTokens: 4096,
    run: { runId, profile: "alert-investigation", input: { alert: given } },
  };
  const steps = [nextStep(request)];
  let left = answers;
  for (let round = 1; ; round++) {
    const step = steps.at(-1);
    if (!step || step.calls.length === 0 || left.length === 0) break;
    turn(round, step.calls, left.slice(0, step.calls.length), step.text);
    left = left.slice(step.calls.length);
    steps.push(nextStep(request));
  }
  const last = steps.at(-1);
  if (!last) throw new Error("There is a first step.");
  const conclusions = steps.flatMap(({ calls }) => calls).filter(({ name }) => name === CONCLUDE_TOOL);
  return { steps, last, conclusions: conclusions.map((call) => JSON.parse(call.arguments) as JsonObject) };
}

const v2 = (result: ToolResult): Seed => ({ args: { release_id: "v2" }, result });

describe("the steps of an alert's investigation", () => {
  it("conclude from earlier lookups, then answer in a few sentences", () => {
    const { steps, last, conclusions } = investigate([v2(ok(summary))], [recorded]);
    expect(steps).toHaveLength(2);
    expect(conclusions).toMatchObject([
      { severity: "high", cause: expect.stringContaining("The error rate is 4 %, its baseline is 0.1 %") },
    ]);
    expect(last.calls).toEqual([]);
    expect(last.text).toBe(
      'Offline rules, no language model. Alert "HighErrorRate" on "payments": Release "v2", which the alert names, is the likely cause: ' +
        "The error rate is 4 %, its baseline is 0.1 % (40 times as high). The severity is high, with 5 findings. " +
        'What was not known: Release "v2": Size of the change: changed lines were not reported. Nothing was filed and nothing was changed.',
    );
  });

  it("look up the releases that the labels name, if the profile did not", () => {
    const { steps, conclusions } = investigate([], [ok(summary), recorded]);
    expect(steps[0]?.calls).toEqual([{ name: SUMMARY_TOOL, arguments: '{"release_id":"v2"}' }]);
    expect(conclusions).toHaveLength(1);
  });

  it("say that no cause was found, and leave it out of the conclusion", () => {
    const { last, conclusions } = investigate([v2(failedResult("release_not_found", 'There is no release "v2".'))], [recorded]);
    expect(conclusions).toHaveLength(1);
    expect(conclusions[0]).not.toHaveProperty("cause");
    expect(conclusions[0]?.["summary"]).toBe('Alert "HighErrorRate" on "payments": no cause was found.');
    expect(last.text).toContain("I found no cause: nothing that I could read points to one.");
    expect(last.text).toContain("could not be read (release_not_found)");
  });

  it("retry a lookup once if its error may pass", () => {
    expect(investigate([v2(down)], [ok(summary), recorded]).conclusions).toMatchObject([{ severity: "high", cause: expect.anything() }]);
    const { steps, conclusions } = investigate([v2(down)], [down, recorded]);
    expect(steps).toHaveLength(3);
    expect(conclusions[0]).not.toHaveProperty("cause");
  });

  it("look nothing up if the tool is not offered", () => {
    const { steps, conclusions } = investigate([], [recorded], { tools: [CONCLUDE_TOOL] });
    expect(steps).toHaveLength(2);
    expect(JSON.stringify(conclusions)).toContain("was not read: no tool for it is offered.");
  });

  it("answer without a record if the tool for it is not offered, and say so", () => {
    const { last } = investigate([v2(ok(summary))], [], { tools: [SUMMARY_TOOL] });
    expect(last).toMatchObject({
      calls: [],
      text: expect.stringContaining("It is not recorded: the tool conclude is not offered in this run."),
    });
  });

  it("conclude once, even if the record is refused", () => {
    const { last, conclusions } = investigate([v2(ok(summary))], [failedResult("invalid_arguments", "/findings is too long"), recorded]);
    expect(conclusions).toHaveLength(1);
    expect(last.text).toContain("Its record was refused (invalid_arguments): /findings is too long.");
  });

  it("believe a summary only about the release that the alert names", () => {
    const { conclusions } = investigate(
      [{ args: { release_id: "v1" }, result: ok(summary) }],
      [ok({ ...summary, deployment_metrics: {} }), recorded],
    );
    expect(conclusions[0]).not.toHaveProperty("cause");
  });

  it("keep the conclusion within the limits of a report and of a reply, whatever alert and summaries contain", () => {
    const long = `hotfix payments auth security ${"x".repeat(5000)}`;
    const labels = { alertname: long, severity: long, service: "payments", release: "a".repeat(2000), version: "b".repeat(2000) };
    const grave = {
      changes: Array<string>(500).fill(long),
      areas: Array<string>(500).fill(`terraform/${long}`),
      size: { lines: 1e9 },
      tests: { passed: 0, failed: 1e6, skipped: 1e9, failures: Array<string>(500).fill(long) },
      deployment_metrics: { error_rate: 1, response_time_p95: 1e9, baseline: { error_rate: 0, response_time_p95: 1 } },
    };
    const seeds = [labels.release, labels.version].map((release_id) => ({ args: { release_id }, result: ok(grave) }));
    const { steps, conclusions } = investigate(seeds, [], { given: { labels, annotations: { summary: long, description: long } } });
    const [{ findings, cause, summary: whole } = {}] = conclusions;
    expect(Array.isArray(findings) && findings.length <= 63).toBe(true);
    expect(JSON.stringify(cause).length).toBeLessThan(2000);
    expect(JSON.stringify(whole).length).toBeLessThan(4000);
    expect(steps[0]!.text.length + steps[0]!.calls[0]!.arguments.length).toBeLessThan(4096 * 4);
  });
});
