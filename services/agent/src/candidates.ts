import {
  definitionFault,
  preferredRegistration,
  publicTool,
  type Registration,
  registryVersion,
  rightsFault,
  type ToolRights,
} from "@toolbus/contracts";
import { compileTool, type DialectName, type ToolSetAside } from "@toolbus/models";
import { leftOut, missing, type OfferNotice, quarantined, setAside } from "./offer-notices.ts";
import type { Profile } from "./profile.ts";
import { ruleMatches, type ToolRule, toolRule } from "./profiles/tool-rule.ts";
import { judged, sameUntil, whyNot, type WhyOff } from "./tool-in-use.ts";

export interface CandidatesInput {
  readonly profile: Pick<Profile, "name" | "tools" | "seedCalls">;
  readonly registrations: readonly Registration[];
  /** The store's time, in milliseconds. */
  readonly now: number;
  readonly off: WhyOff;
  /** The rights of the run's requester. */
  readonly rights: ToolRights;
  /** The model of the run. Tools whose parameters its provider cannot express are left out. */
  readonly model: OfferedTo;
}

export interface OfferedTo {
  readonly name: string;
  readonly dialect: DialectName;
}

/** The tools that a run of this kind may be offered. They do not depend on the run's message. */
export interface Candidates {
  /** In the order of the profile's rules, with one version of each name. */
  readonly all: readonly Registration[];
  readonly notices: readonly OfferNotice[];
  /** The version of the whole registry. */
  readonly registryVersion: string;
}

interface Made extends Candidates {
  readonly from: number;
  readonly until: number;
}

/** The number of kinds of runs that are remembered for one registry, such as runs of one profile by requesters with the same rights. */
const MOST_KINDS = 32;

/** What was made of a list of registrations. An unchanged registry is the same list (`readRegistry`), and a changed one is another. */
const made = new WeakMap<readonly Registration[], WeakMap<WhyOff, Map<string, Made>>>();

/**
 * Returns the tools that match the profile's rules and that the requester can use now. Judging a thousand tools for each run would cost more than the choice, so
 * the answer is used again while the registry and the switches are the same. It ends at the time at which a worker that stays silent would count as gone.
 */
export function candidatesOf(input: CandidatesInput): Candidates {
  const { profile, registrations, now, off, rights, model } = input;
  const bySwitches = made.get(registrations) ?? new WeakMap<WhyOff, Map<string, Made>>();
  made.set(registrations, bySwitches);
  const kinds = bySwitches.get(off) ?? new Map<string, Made>();
  bySwitches.set(off, kinds);
  const kind = JSON.stringify([profile.name, profile.tools, profile.seedCalls.map(({ tool }) => tool), rights, model.name, model.dialect]);
  const before = kinds.get(kind);
  if (before && before.from <= now && now <= before.until) return before;
  const [oldest] = kinds.keys();
  if (!before && kinds.size >= MOST_KINDS && oldest !== undefined) kinds.delete(oldest);
  const until = registrations.reduce((least, one) => Math.min(least, sameUntil(one, now)), Number.POSITIVE_INFINITY);
  const candidates = { ...judge(input), from: now, until };
  kinds.set(kind, candidates);
  return candidates;
}

function judge({ profile, registrations, now, off, rights, model }: CandidatesInput): Candidates {
  const rules = rulesOf(profile, registrations);
  const fixed = new Set(profile.seedCalls.map(({ tool }) => tool));
  const why = (one: Registration): string | null => rightsFault(rights, judged(one)) ?? whyNot(one, { now, off, fixed });
  const held = new Map(rules.flatMap((rule) => (rule.by === "name" && rule.version !== null ? [[rule.name, rule.version] as const] : [])));
  const byName = Map.groupBy(registrations, ({ definition }) => definition.name);
  const chosen = new Map<string, Registration>();
  const notices: OfferNotice[] = [];
  for (const rule of rules) {
    // A profile with all tools has a rule for each name, so a search of all registrations for each rule would be slow.
    const candidates = rule.by === "name" ? (byName.get(rule.name) ?? []) : registrations;
    const meant = candidates.filter(
      (one) => ruleMatches(rule, one) && (held.get(one.definition.name) ?? one.definition.version) === one.definition.version,
    );
    if (meant.length === 0 && rule.by === "name") notices.push(missing(profile.name, rule, registrations));
    for (const [name, versions] of Map.groupBy(meant, ({ definition }) => definition.name)) {
      const sound = versions.filter(({ definition }) => definitionFault(definition) === null);
      const inUse = sound.filter((one) => why(one) === null);
      const faults = new Map(inUse.map((one) => [one, faultFor(one, model)]));
      const usable = inUse.filter((one) => !faults.get(one));
      const preferred = preferredRegistration(usable, now);
      for (const [one, fault] of faults) if (fault) notices.push(setAside(profile.name, one, fault, model.name));
      if (preferred && !chosen.has(name)) chosen.set(name, preferred);
      const out = preferred ? [] : sound.filter((one) => !inUse.includes(one));
      notices.push(...out.map((one) => leftOut(profile.name, one, why(one))));
      notices.push(...versions.flatMap((one) => quarantined(profile.name, one)));
    }
  }
  return {
    all: [...chosen.values()],
    notices,
    registryVersion: registryVersion(registrations.map(({ definition: { name, version }, hash }) => ({ name, version, hash }))),
  };
}

/** Returns the profile's rules. `all` means one rule for every name, in alphabetical order. */
function rulesOf({ tools }: CandidatesInput["profile"], registrations: readonly Registration[]): readonly ToolRule[] {
  if (tools !== "all") return tools.map(toolRule);
  const names = new Set(registrations.map(({ definition }) => definition.name));
  return [...names].toSorted().map((name) => ({ by: "name", name, version: null, optional: false }));
}

function faultFor({ definition }: Registration, { dialect }: OfferedTo): ToolSetAside | null {
  const compiled = compileTool(publicTool(definition), dialect);
  return compiled.ok ? null : compiled;
}
