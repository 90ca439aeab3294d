import type { Observation } from "../observation/observation.ts";
import type { ScenarioHost } from "../runner/scenario-host.ts";
import type { Scenario, Suite } from "../scenario/scenario.ts";
import { madeUpObservation } from "./made-up.ts";

/** Returns a scenario that only expects its run to complete. */
export function madeUpScenario(told: Partial<Scenario> & { readonly id: string }): Scenario {
  return {
    description: "",
    tags: [],
    profile: null,
    input: { kind: "messages", messages: ["Hello."] },
    fixtures: {},
    approvals: {},
    turns: null,
    timeoutMs: 60_000,
    expect: { end: "completed" },
    rubric: [],
    ...told,
  };
}

/** Returns a suite of these scenarios. */
export function madeUpSuite(scenarios: readonly Scenario[], told: Partial<Suite> = {}): Suite {
  return {
    name: "made-up",
    description: "",
    profilesFolder: null,
    policyFile: null,
    tools: [],
    repeats: 1,
    judge: null,
    scenarios,
    hash: "a-hash",
    agentHash: "an-agent",
    scenarioHashes: Object.fromEntries(scenarios.map(({ id }) => [id, `hash-of-${id}`])),
    ...told,
  };
}

/** Returns a host that answers each scenario with this function, and the ids of the scenarios that it was asked to run. */
export function madeUpHost(run: (id: string, signal: AbortSignal) => Promise<Observation> = async () => madeUpObservation()) {
  const asked: string[] = [];
  let stopped = 0;
  const host: ScenarioHost = {
    model: "made-up 1",
    run({ scenario: { id } }, signal) {
      asked.push(id);
      return run(id, signal);
    },
    async stop() {
      stopped++;
    },
  };
  return { host, asked, stopped: () => stopped };
}
