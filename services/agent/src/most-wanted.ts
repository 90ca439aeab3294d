import { isBridgeTool, type Registration } from "@toolbus/contracts";
import { dialectRules, type DialectName } from "@toolbus/models";
import { rankTools } from "@toolbus/tool-kit";
import type { Profile } from "./profile.ts";

/** The number of the loop's own tools, for which every offer leaves room. */
const LOOP_TOOLS = 4;

/** Returns the most tools that a run of this profile is offered: the profile's limit, or the vendor's limit for one request if that is lower. */
export function mostTools({ limits }: Pick<Profile, "limits">, dialect: DialectName): number {
  const rules = dialectRules(dialect);
  return Math.max(0, Math.min(limits.maxTools, rules ? rules.tools - LOOP_TOOLS : limits.maxTools));
}

/** The tools that a run is offered and those that it is not. */
export interface Wanted {
  /** In the order of the candidates. */
  readonly offered: readonly Registration[];
  /** The best match first. */
  readonly leftOut: readonly Registration[];
}

// It is one function, so that the rank knows that the list is the same as before.
const definitionOf = ({ definition }: Registration): Registration["definition"] => definition;

export interface WantedFor {
  readonly profile: Pick<Profile, "seedCalls" | "report">;
  /** The run's message. */
  readonly about: string;
  /** The tools that earlier runs of the conversation called, the latest first. */
  readonly called: readonly string[];
  readonly most: number;
}

/**
 * Selects at most `most` of the candidates. First come the tools that the profile itself calls, then the bridge's own tools (up to half of
 * the places), and those that the conversation called last. The tools whose name and description fit the message best get the remaining places, at least a third.
 * If nothing fits, the first ones get them.
 */
export function mostWanted(all: readonly Registration[], { profile, about, called, most }: WantedFor): Wanted {
  if (all.length <= most) return { offered: all, leftOut: [] };
  const fixed = new Set(profile.seedCalls.map(({ tool }) => tool));
  if (profile.report?.kind === "filing") fixed.add(profile.report.tool);
  const ranked = rankTools(all, definitionOf, about);
  const named = (names: readonly string[]): readonly Registration[] =>
    names.flatMap((name) => ranked.find(({ definition }) => definition.name === name) ?? []);
  // A model that can find and call a tool by name can also use the tools that are left out.
  const finding = ranked.filter(isBridgeTool).slice(0, Math.ceil(most / 2));
  const kept = [...finding, ...named(called)].slice(0, Math.max(1, Math.floor((most * 2) / 3)));
  const first = fixed.size === 0 ? [] : ranked.filter(({ definition }) => fixed.has(definition.name));
  const wanted = new Set([...first, ...kept].slice(0, most));
  for (const one of ranked) {
    if (wanted.size >= most) break;
    wanted.add(one);
  }
  return { offered: all.filter((one) => wanted.has(one)), leftOut: ranked.filter((one) => !wanted.has(one)) };
}
