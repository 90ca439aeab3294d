import { createHash } from "node:crypto";
import type { Checked } from "./checked-file.ts";
import type { Suite } from "./scenario.ts";

/**
 * Returns the suite with only the scenarios that have one of these ids or tags, in the order of the suite. Without a choice, returns the suite itself.
 * The part of a suite has a hash of its own. Returns one sentence if a choice fits no scenario.
 */
export function selectScenarios(suite: Suite, only: readonly string[]): Checked<Suite> {
  if (only.length === 0) return { ok: true, value: suite };
  const fits = (choice: string, { id, tags }: Suite["scenarios"][number]): boolean => id === choice || tags.includes(choice);
  const unknown = only.find((choice) => !suite.scenarios.some((scenario) => fits(choice, scenario)));
  if (unknown !== undefined) {
    const tags = [...new Set(suite.scenarios.flatMap((scenario) => scenario.tags))].toSorted();
    const known = tags.length === 0 ? "It has no tags." : `Its tags are ${tags.slice(0, 20).join(", ")}.`;
    return { ok: false, problem: `No scenario of the suite ${suite.name} has the id or the tag "${unknown.slice(0, 100)}". ${known}` };
  }
  const scenarios = suite.scenarios.filter((scenario) => only.some((choice) => fits(choice, scenario)));
  if (scenarios.length === suite.scenarios.length) return { ok: true, value: suite };
  const scenarioHashes = Object.fromEntries(scenarios.map(({ id }) => [id, suite.scenarioHashes[id] ?? ""]));
  const hash = createHash("sha256")
    .update(JSON.stringify([suite.agentHash, scenarioHashes]))
    .digest("hex");
  return { ok: true, value: { ...suite, scenarios, scenarioHashes, hash } };
}
