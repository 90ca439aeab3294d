import { isBridgeTool, type Registration } from "@toolbus/contracts";
import { dialectRules, type DialectName, rank } from "@toolbus/models";
import type { Profile } from "./profile.ts";

/** The number of the loop's own tools, for which every offer leaves room. */
const LOOP_TOOLS = 4;

/** Returns the most tools that a run of this profile is offered: the profile's limit, or the vendor's limit for one request if that is lower. */
export function mostTools({ limits }: Pick<Profile, "limits">, dialect: DialectName): number {
  const rules = dialectRules(dialect);
  return Math.max(0, Math.min(limits.maxTools, rules ? rules.tools - LOOP_TOOLS : limits.maxTools));
}

/**
 * Selects at most `most` of the registrations and keeps their order. It prefers tools that the profile itself calls, and then the bridge's own tools,
 * up to half of the places. Then it prefers tools whose name and description fit the message best. If nothing fits, it selects the first ones.
 */
export function mostWanted(
  all: readonly Registration[],
  { profile, about, most }: { readonly profile: Pick<Profile, "seedCalls" | "report">; readonly about: string; readonly most: number },
): readonly Registration[] {
  if (all.length <= most) return all;
  const called = new Set(profile.seedCalls.map(({ tool }) => tool));
  if (profile.report?.kind === "filing") called.add(profile.report.tool);
  const ranked = rank(all, ({ definition: { name, description } }) => `${name}\n${description}`, about).map(({ item }) => item);
  const first = ranked.filter(({ definition }) => called.has(definition.name));
  // A model that can find and call a tool by name can also use the tools that are left out.
  const finding = ranked.filter(isBridgeTool).slice(0, Math.ceil(most / 2));
  const wanted = new Set([...new Set([...first, ...finding, ...ranked])].slice(0, most));
  return all.filter((registration) => wanted.has(registration));
}
