import type { Json } from "@toolbus/contracts";
import type { Fixture, Observation, Scenario, ScenarioHost, Suite, Variant } from "@toolbus/evals";
import { embeddedHost } from "../evaluations/embedded-host.ts";

/** Returns a scenario about a release. The tools of the release toolset answer from fixtures of this release. */
export function releaseScenario(id: string, told: Partial<Scenario> = {}): Scenario {
  return {
    id,
    description: "",
    tags: [],
    profile: null,
    input: { kind: "release", release: id },
    fixtures: {
      get_release_summary: [answer(summaryOf(id), { release_id: id })],
      file_risk_report: [answer({ report_id: `report-of-${id}` })],
    },
    approvals: { file_risk_report: { decide: "approve" } },
    turns: null,
    timeoutMs: 30_000,
    expect: { end: "completed" },
    rubric: [],
    ...told,
  };
}

export function answer(result: Json, when: Fixture["when"] = null): Fixture {
  return { when, times: null, answer: { kind: "result", result } };
}

function summaryOf(id: string): Json {
  return {
    release_id: id,
    version: id,
    from: "a",
    to: "b",
    changes: [`Change only in ${id}`],
    change_count: 1,
    authors: ["Ada"],
    areas: ["docs"],
    files: { changed: 1, insertions: 2, deletions: 1 },
  };
}

export interface HostUnderTest extends AsyncDisposable {
  readonly host: ScenarioHost;
  run(scenario: Scenario): Promise<Observation>;
}

/** Starts an embedded host for these scenarios. */
export async function hostUnderTest(
  scenarios: readonly Scenario[],
  {
    variant = { name: "default" },
    env = {},
    tools = [],
  }: { readonly variant?: Variant; readonly env?: Record<string, string>; readonly tools?: Suite["tools"] } = {},
): Promise<HostUnderTest> {
  const suite: Suite = {
    name: "under-test",
    description: "",
    profilesFolder: null,
    policyFile: null,
    tools,
    repeats: 1,
    judge: null,
    scenarios,
    hash: "a-hash",
    agentHash: "a",
    scenarioHashes: {},
  };
  let ids = 0;
  const signal = new AbortController().signal;
  const host = await embeddedHost({ suite, variant, env, newId: () => `request-${++ids}`, signal });
  return {
    host,
    run: (scenario) => host.run({ scenario, repeat: 1 }, signal),
    [Symbol.asyncDispose]: () => host.stop(),
  };
}
