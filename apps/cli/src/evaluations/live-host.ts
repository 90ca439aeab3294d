import type { ScenarioHost } from "@toolbus/evals";
import type { Client } from "../http/client.ts";
import { followTrial } from "./follow-trial.ts";

/**
 * Returns a host that runs scenarios on a running system over HTTP. It answers no tool and decides no write: the tools of the system answer, and its
 * people decide.
 */
export function liveHost(gateway: Client, newId: () => string): ScenarioHost {
  return {
    model: `the system at ${gateway.url}`,
    run: ({ scenario, onRun = () => undefined }, signal) => followTrial(scenario, { gateway, newId, onRun }, signal),
    lookUp: (runId) => `Its run is ${runId}: "toolbus runs why ${runId}" says how far it came.`,
    stop: async () => undefined,
  };
}
