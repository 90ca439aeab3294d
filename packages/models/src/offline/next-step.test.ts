import { failedResult, type JsonObject, type ToolResult, type TranscriptEntry, verdictIn } from "@toolbus/contracts";
import { describe, expect, it } from "vitest";
import type { ModelRequest } from "../model-provider.ts";
import { madeUpFacts } from "../testing/made-up-facts.ts";
import { nextStep } from "./next-step.ts";
import { CODE_TOOL, FILING_TOOL, SUMMARY_TOOL } from "./release-step.ts";

const summary = {
  release_id: "v2.1.0",
  changes: ["Show the date"],
  authors: ["Ada", "Grace"],
  size: { lines: 90 },
  tests: { passed: 10, failed: 0, skipped: 0 },
};

const ok = (content: JsonObject): ToolResult => ({ status: "ok", content: JSON.stringify(content), isError: false });
const filed = ok({ report_id: "RR-7", release_id: "v2.1.0", severity: "low" });
const revise = (comment: string) =>
  failedResult("revision_requested", `A person asks for a revision; nothing was done. They said: "${comment}" Rework it.`, {
    retryable: true,
  });

/** Runs an investigation and answers its calls in order. Returns the steps up to a step without a call, or until no answer is left. */
function investigate(
  answers: readonly ToolResult[],
  options: { input?: JsonObject; tools?: readonly string[]; before?: readonly TranscriptEntry[] } = {},
) {
  const runId = "rn_00_2";
  const transcript: TranscriptEntry[] = [...(options.before ?? []), { type: "user", runId, text: "Investigate.", at: 0 }];
  const request: ModelRequest = {
    system: "",
    transcript,
    tools: (options.tools ?? [SUMMARY_TOOL, FILING_TOOL]).map((name) => ({ name, description: name, parameters: {} })),
    maxTokens: 4096,
    run: { runId, profile: "release-investigation", input: options.input ?? { releaseId: "v2.1.0" } },
  };
  const steps: { readonly text: string; readonly call: { readonly name: string; readonly arguments: JsonObject } | null }[] = [];
  for (const answer of [...answers, null]) {
    const { text, calls } = nextStep(request);
    const [only] = calls;
    const step = { text, call: only ? { name: only.name, arguments: JSON.parse(only.arguments) as JsonObject } : null };
    steps.push(step);
    if (!step.call || !answer) break;
    const { name } = step.call;
    const round = steps.length;
    const call = { id: `c${round}`, callId: `${runId}.${round}.0`, name, arguments: JSON.stringify(step.call.arguments) };
    transcript.push({ type: "assistant", runId, round, text: step.text, calls: [call], at: 0, provider: "offline", model: "rules-1" });
    const { status, content, isError } = answer;
    transcript.push({ type: "result", runId, round, id: call.id, callId: call.callId, name, status, content, isError, at: 0 });
  }
  const last = steps.at(-1);
  if (!last) throw new Error("There is a first step.");
  return { steps, last, filings: steps.flatMap(({ call }) => (call?.name === FILING_TOOL ? [call.arguments] : [])), transcript };
}

describe("the steps of an investigation", () => {
  it("reads the summary of the run's release", () => {
    expect(investigate([]).last.call).toEqual({ name: SUMMARY_TOOL, arguments: { release_id: "v2.1.0" } });
  });

  it("explains its reasoning, then files its findings, including the unknowns", () => {
    const { last } = investigate([ok(summary)]);
    expect(last.call).toEqual({
      name: FILING_TOOL,
      arguments: {
        release_id: "v2.1.0",
        severity: "low",
        findings: [
          "Assessed: the release. Confidence: medium. Rules: none.",
          "low: tests (passed-tests): All tests that ran passed: 10 passed, 0 failed, 0 skipped.",
          "low: size (changed-lines): The release changes 90 lines.",
          "Not known: Changes of the code: the run has no tool get_code_changes.",
          "Not known: Deployment metrics: none were reported.",
        ],
      },
    });
    expect(last.text).toContain("The release changes 90 lines.");
    expect(last.text).toContain("the severity is low");
  });

  it("files no report on a long history without an earlier release, and says why", () => {
    const refused = failedResult("no_code_changes", "A history of 1244 commits is no change: name its beginning with --from.");
    const ends = { from: { name: "the beginning of the history" }, to: { name: "HEAD", commit: "a".repeat(40) } };
    const { last } = investigate([ok({ ...summary, ...ends, size: { lines: 411_560 }, change_count: 1244 }), refused], {
      tools: [SUMMARY_TOOL, CODE_TOOL, FILING_TOOL],
    });
    expect(last.call).toBeNull();
    expect(last.text).toContain("is not assessed: no release is before it, and its whole history of 1244 changes is no change to judge.");
    expect(last.text).toContain("name its beginning with --from");
    expect(last.text).toContain("No report is filed.");
  });

  it("uses a summary that a seed call has read", () => {
    expect(investigate([ok(summary), filed]).steps).toHaveLength(3);
  });

  it("ends with report id, severity, number of findings and unknowns", () => {
    const { last } = investigate([ok(summary), filed]);
    expect(last.call).toBeNull();
    expect(last.text).toBe(
      "Offline rules, no language model. Risk report RR-7 is filed for release v2.1.0 with severity low and 5 items, of which 2 are findings. " +
        "What was not known: Changes of the code: the run has no tool get_code_changes. Deployment metrics: none were reported.",
    );
  });

  it("counts the items as the approval card does, and the findings as the verdict does", () => {
    const { last, filings } = investigate([ok(summary), filed]);
    const items = Array.isArray(filings[0]?.["findings"]) ? filings[0]["findings"].map(String) : [];
    expect(last.text).toContain(`and ${items.length} items, of which ${verdictIn(items).findings.length} are findings.`);
  });

  it("says in every text that it is not a language model", () => {
    const reported = [
      investigate([ok(summary), revise("make it high"), filed]),
      investigate([failedResult("release_not_found", "No.")]),
      investigate([], { input: {} }),
    ];
    for (const step of reported.flatMap(({ steps }) => steps)) expect(step.text).toMatch(/^Offline rules, no language model\./);
  });

  it("files for the run's release, whatever release the summary names", () => {
    expect(investigate([ok({ ...summary, release_id: "other" })]).last.call?.arguments).toMatchObject({ release_id: "v2.1.0" });
  });

  it("does not file if filing is not offered, and says so", () => {
    const { last } = investigate([ok(summary)], { tools: [SUMMARY_TOOL] });
    expect(last.call).toBeNull();
    expect(last.text).toContain("Nothing is filed: the tool file_risk_report is not offered in this run.");
  });

  it("ignores earlier runs of the conversation", () => {
    const before = investigate([ok(summary), filed]).transcript.map((entry) => ({ ...entry, runId: "rn_00_1" }));
    expect(investigate([], { before }).last.call?.name).toBe(SUMMARY_TOOL);
  });
});

describe("the changes of the code", () => {
  const tools = [SUMMARY_TOOL, CODE_TOOL, FILING_TOOL];
  const facts = madeUpFacts({ files: [{ added: 5 }], commits: [{ subject: "Fix a bypass of the login" }] });
  const code = ok({ release_id: "v2.1.0", base: "1.0.0", head: "1.0.1", facts: JSON.parse(JSON.stringify(facts)) });
  const down = failedResult("unavailable", "It does not answer.", { retryable: true });
  const severities = (filings: readonly JsonObject[]) => filings.map(({ severity }) => severity);
  const textIn = (filings: readonly JsonObject[]) => JSON.stringify(filings[0]?.["findings"]);

  it("are read once if the run has the tool, and decide the severity", () => {
    const { steps, filings } = investigate([ok(summary), code, filed], { tools });
    expect(steps.map(({ call }) => call?.name)).toEqual([SUMMARY_TOOL, CODE_TOOL, FILING_TOOL, undefined]);
    expect(steps[1]?.call?.arguments).toEqual({ release_id: "v2.1.0" });
    expect(severities(filings)).toEqual(["high"]);
    expect(textIn(filings)).toContain("security_fix (security-wording)");
    expect(textIn(filings)).toContain(
      'Where: commit c00000000000 \\"Fix a bypass of the login\\"; file \\"src/a.py\\". Do: Ask a security owner',
    );
  });

  it("are read once more if the error may pass, and are unknown after that", () => {
    expect(severities(investigate([ok(summary), down, code], { tools }).filings)).toEqual(["high"]);
    const { filings, steps } = investigate([ok(summary), down, down, filed], { tools });
    expect(steps).toHaveLength(5);
    expect(severities(filings)).toEqual(["low"]);
    expect(textIn(filings)).toContain("Not known: Changes of the code: get_code_changes failed (unavailable): It does not answer.");
  });

  it.each<[string, ToolResult, string]>([
    [
      "a lasting error",
      failedResult("not_found", "There is no repository."),
      "get_code_changes failed (not_found): There is no repository.",
    ],
    ["no facts", ok({ release_id: "v2.1.0", facts: null }), "get_code_changes has no facts of this release."],
    [
      "a text",
      { status: "ok", content: "an index of a long result", isError: false },
      "the answer of get_code_changes is not a JSON object.",
    ],
    ["facts with an unknown field", ok({ facts: { ...JSON.parse(JSON.stringify(facts)), odd: 1 } }), "(/odd is not a known field)."],
    [
      "facts with a control character",
      ok({ facts: { ...JSON.parse(JSON.stringify(facts)), project: "a\u001bb" } }),
      "(/project must match pattern",
    ],
  ])("are unknown after %s, and the rules over the summary decide", (_, answer, text) => {
    const { filings, steps } = investigate([ok({ ...summary, areas: ["src/auth"] }), answer, filed], { tools });
    expect(steps).toHaveLength(4);
    expect(severities(filings)).toEqual(["medium"]);
    expect(textIn(filings)).toContain("risky-areas");
    expect(textIn(filings)).toContain(`Not known: Changes of the code: `);
    expect(textIn(filings)).toContain(text);
  });

  it("in the run's input need no release API and no tool", () => {
    const input = { changes: JSON.parse(JSON.stringify(facts)) as JsonObject };
    const { steps, filings } = investigate([filed], { tools, input });
    expect(steps.map(({ call }) => call?.name)).toEqual([FILING_TOOL, undefined]);
    expect(filings[0]).toMatchObject({ release_id: "1.0.1", severity: "high" });
    expect(textIn(filings)).toContain(
      "Not known: Test results: the run has read no release summary. The release API gives them, if it has the release.",
    );
  });

  it("in the input are judged together with the summary of a release that the input names", () => {
    const input = { releaseId: "v2.1.0", changes: JSON.parse(JSON.stringify(facts)) as JsonObject };
    const { steps, filings } = investigate([ok(summary), filed], { tools, input });
    expect(steps.map(({ call }) => call?.name)).toEqual([SUMMARY_TOOL, FILING_TOOL, undefined]);
    expect(textIn(filings)).toContain("10 passed");
    expect(severities(investigate([failedResult("release_not_found", "No."), filed], { tools, input }).filings)).toEqual(["high"]);
  });

  it("in the input are judged together with the measurements beside them, which replace those of the summary", () => {
    const failures = [{ name: "shows the date", suite: "orders" }];
    const tests = { passed: 8, failed: 1, skipped: 0, failures };
    const input = { releaseId: "v2.1.0", changes: JSON.parse(JSON.stringify(facts)) as JsonObject, measurements: { tests } };
    const { steps, filings } = investigate([ok(summary), filed], { tools, input });
    expect(steps.at(-2)?.text).toContain("The test results came with the request.");
    expect(textIn(filings)).toContain("Tests failed: 8 passed, 1 failed");
    expect(textIn(filings)).not.toContain("10 passed");
    const { releaseId: _, ...unnamed } = input;
    const alone = investigate([filed], { tools, input: unnamed });
    expect(textIn(alone.filings)).toContain("Tests failed: 8 passed, 1 failed");
    expect(textIn(alone.filings)).not.toContain("Test results: ");
  });

  it("in the input are parsed as strictly as those of a tool", () => {
    const input = { changes: { ...JSON.parse(JSON.stringify(facts)), odd: "Severity is low" } as JsonObject };
    const { filings } = investigate([filed], { tools, input });
    expect(textIn(filings)).toContain("/odd is not a known field");
    expect(textIn(filings)).toContain("Confidence: low");
  });
});

describe("an unavailable summary", () => {
  it("is reported with the error and the remedy", () => {
    const { last, steps } = investigate([failedResult("release_not_found", "There is no release v2.1.0")]);
    expect(steps).toHaveLength(2);
    expect(last.call).toBeNull();
    expect(last.text).toContain("(release_not_found): There is no release v2.1.0. Check the release id");
  });

  it("is requested once more if the error may pass", () => {
    const down = failedResult("unavailable", "It does not answer.");
    expect(investigate([down, ok(summary)]).last.call?.name).toBe(FILING_TOOL);
    const { last, steps } = investigate([down, down, ok(summary)]);
    expect(steps).toHaveLength(3);
    expect(last.text).toContain("I have tried twice.");
  });

  it("is reported if the tool is not offered", () => {
    expect(investigate([], { tools: [] }).last).toMatchObject({
      call: null,
      text: expect.stringContaining("get_release_summary is not offered"),
    });
  });

  it("prevents a report if it is not an object", () => {
    expect(investigate([{ status: "ok", content: "plain text", isError: false }]).last).toMatchObject({
      call: null,
      text: expect.stringContaining("is not a JSON object"),
    });
  });

  it("leads to a text about what the rules can do if no release is named", () => {
    expect(investigate([], { input: {} }).last).toMatchObject({
      call: null,
      text: expect.stringContaining("start an investigation of it"),
    });
  });
});

describe("a report that is not filed", () => {
  const outcomes: readonly [string, ToolResult, string][] = [
    [
      "a denial",
      failedResult("denied_by_user", 'A person denied this. They said: "Too vague." Say so.'),
      'it was denied. The approver says: "Too vague.".',
    ],
    ["a refusal by policy", failedResult("policy_denied", "The tool is not pinned."), "it was refused. The tool is not pinned."],
    ["an expired approval", failedResult("approval_expired", "Nobody decided."), "Please run the investigation again"],
    ["an approval that lapsed", failedResult("approval_lapsed", "Too late."), "Please run the investigation again"],
    [
      "an unknown outcome",
      failedResult("outcome_unknown", "The worker died.", { retryable: true }),
      "may or may not have been filed: The worker died. I do not try again",
    ],
    ["a cancelled call", failedResult("cancelled", "The run was cancelled."), "the call was cancelled"],
    [
      "a permanent error",
      failedResult("invalid_arguments", "findings is too long"),
      "is not filed (invalid_arguments): findings is too long.",
    ],
    [
      "a revision without a comment",
      failedResult("revision_requested", "A person asks for a revision.", { retryable: true }),
      "without a comment",
    ],
  ];

  it.each(outcomes)("ends after %s without another call", (_, outcome, text) => {
    const { last, filings } = investigate([ok(summary), outcome, filed]);
    expect(last.call).toBeNull();
    expect(last.text).toContain(text);
    expect(filings).toHaveLength(1);
  });

  it.each(outcomes)("never calls the report filed after %s", (_, outcome) => {
    expect(investigate([ok(summary), outcome]).last.text).not.toMatch(/report \S* is filed/);
  });

  it("is filed again once, unchanged, if the error may pass", () => {
    const down = failedResult("unavailable", "It does not answer.");
    const { filings, last } = investigate([ok(summary), down, down, filed]);
    expect(filings).toHaveLength(2);
    expect(filings[1]).toEqual(filings[0]);
    expect(last.text).toContain("is not filed (unavailable): It does not answer. I have tried twice.");
  });
});

describe("a revision", () => {
  it("adds the reviewer's words as a finding and files again", () => {
    const { filings, last } = investigate([ok(summary), revise("Say who tested it"), filed]);
    expect(filings[1]).toMatchObject({ severity: "low" });
    expect(filings[1]?.["findings"]).toEqual([
      ...(Array.isArray(filings[0]?.["findings"]) ? filings[0]["findings"] : []),
      "Reviewer: Say who tested it",
    ]);
    expect(last.text).toContain("with severity low and 6 items, of which 2 are findings");
  });

  it.each([
    ["Make it high", "high"],
    ["Severity: MEDIUM, please", "medium"],
    ["from high to medium", "medium"],
    ["not low but medium", "medium"],
    ["medium rather than high", "medium"],
    ["low or medium?", "low"],
    ["highlight the followers", "low"],
    ['Say "medium" instead of low', "medium"],
  ])("with the comment %j has the severity %s", (comment, severity) => {
    expect(investigate([ok(summary), revise(comment), filed]).filings[1]).toMatchObject({ severity });
  });

  it("keeps earlier requests, and the latest severity counts", () => {
    const { filings } = investigate([ok(summary), revise("make it high"), revise("name the tester"), revise("medium is enough"), filed]);
    expect(filings.map((filing) => filing["severity"])).toEqual(["low", "high", "high", "medium"]);
    expect(filings[3]?.["findings"]).toEqual(
      expect.arrayContaining(["Reviewer: make it high", "Reviewer: name the tester", "Reviewer: medium is enough"]),
    );
  });

  it("happens at most three times", () => {
    const { filings, last } = investigate([ok(summary), ...["one", "two", "three", "four", "five"].map(revise)]);
    expect(filings).toHaveLength(4);
    expect(last.text).toContain('I stop after 3 revisions. The approver says: "four".');
  });

  it("adds the comment as one clean line, whatever it contains", () => {
    const { filings } = investigate([ok(summary), revise('say "done"\n\u001b[2J{"severity"}\u202e')]);
    expect(filings[1]?.["findings"]).toContain('Reviewer: say "done" [2J{"severity"}');
  });
});
