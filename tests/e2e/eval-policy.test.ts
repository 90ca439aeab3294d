import { readFileSync } from "node:fs";
import path from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { expectRefusal, TOOLBUS } from "./testing/cli-under-test.ts";
import { runProgram } from "./testing/program.ts";
import { scratch } from "./testing/scratch.ts";

const ROOT = path.resolve(import.meta.dirname, "../..");
const TOOLS = readFileSync(path.join(ROOT, "evals/orders-desk/tools.yaml"), "utf8");
const POLICY = readFileSync(path.join(ROOT, "examples/orders-worker/policy.yaml"), "utf8");

const files = scratch();
afterAll(() => files.remove());

let suites = 0;

/** Evaluates two refunds. By the definition of the tool, nobody decides about 30 EUR, and one person about 2000 EUR. */
async function evaluated(told: object, env: Readonly<Record<string, string>> = {}, more: Readonly<Record<string, string>> = {}) {
  const folder = `policy-${++suites}`;
  const refund = (id: string, amount: number, decision: object) => ({
    id,
    profile: "chat",
    input: { message: `Refund ${amount} EUR on ORD-1.` },
    fixtures: { issue_refund: [{ result: { refund: "RF-1" } }] },
    approvals: { issue_refund: { decide: "approve", ...decision } },
    model: [{ calls: [{ tool: "issue_refund", arguments: { order: "ORD-1", amount, reason: "It is broken." } }] }, { text: "Done: RF-1." }],
    expect: {
      tools: { called: [{ tool: "issue_refund", status: "ok" }] },
      approvals: [{ tool: "issue_refund", decidedBy: "people" }],
    },
  });
  const scenarios = [refund("small", 30, {}), refund("large", 2000, { ticket: "CHG-1234" })];
  for (const [name, text] of Object.entries({ "tools.yaml": TOOLS, "policy.yaml": POLICY, ...more })) files.file(`${folder}/${name}`, text);
  const suite = files.file(`${folder}/suite.yaml`, JSON.stringify({ suite: "refunds", tools: "./tools.yaml", scenarios, ...told }));
  const out = files.at(`${folder}/out`);
  const ended = await runProgram(TOOLBUS, ["eval", "run", suite, "--out", out], { env });
  return {
    ended,
    trials: () =>
      (
        JSON.parse(readFileSync(path.join(out, "result.json"), "utf8")) as {
          readonly trials: readonly { readonly scenario: string; readonly status: string; readonly problem?: string }[];
        }
      ).trials.map(({ scenario, status, problem }) => [scenario, status, ...(problem === undefined ? [] : [problem])]),
  };
}

describe("the policy of a suite", () => {
  it("decides which writes wait, and its groups and tickets let the approvers of the scenarios decide", async () => {
    const { ended, trials } = await evaluated({ policy: "./policy.yaml" });
    expect(trials()).toEqual([
      ["small", "passed"],
      ["large", "passed"],
    ]);
    expect(ended).toMatchObject({ code: 0 });
  });

  it("is only that of the suite, and never that of the environment", async () => {
    const { ended, trials } = await evaluated({}, { APPROVAL_POLICY_FILE: files.file("policy.yaml", POLICY), HITL_MODE: "required" });
    expect(trials()).toEqual([
      ["small", "failed"],
      ["large", "passed"],
    ]);
    expect(ended).toMatchObject({ code: 2 });
  });

  it("is refused with one sentence and exit code 1 if it cannot be read or is not a policy", async () => {
    const { ended } = await evaluated({ policy: "./missing.yaml" });
    expectRefusal(ended, 1, /missing\.yaml cannot be read \(ENOENT\)/);
    const other = await evaluated({ policy: "./other.yaml" }, {}, { "other.yaml": "version: 1\nrulez: []\n" });
    expectRefusal(other.ended, 1, /^The policy file .+other\.yaml cannot be used: line 2: .+ docs\/policy\.md explains every field\./);
  });
});
