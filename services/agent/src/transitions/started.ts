import type { Run, RunEvent } from "@toolbus/contracts";
import { loopToolsOf } from "./loop-tools.ts";
import type { Rules } from "./rules.ts";

/** Returns the event of a run's start, with the run's input and the tools that its model can call. */
export function startedEvent({ profile, input, tools, registryVersion, choice }: Run, rules: Rules, now: number): RunEvent {
  const known = rules.profile(profile);
  const own = known ? loopToolsOf(known).map(({ definition }) => definition.name) : [];
  const names = [...tools.map((tool) => tool.name), ...own];
  return { type: "run.started", at: now, profile, input, tools: names, registryVersion, ...(choice ? { choice } : {}) };
}
