import { availabilityOf, preferredVersion, type Registration, registryVersion, type RunTool, schemaValidator } from "@toolbus/contracts";
import type { Profile } from "./profile.ts";
import { ruleMatches, type ToolRule, toolRule } from "./profiles/tool-rule.ts";

/** What a run gets of the registry when it begins, and keeps whatever is registered later. */
export interface ToolOffer {
  readonly tools: readonly RunTool[];
  /** Of the whole registry as it was then. */
  readonly registryVersion: string;
}

/** Something about an offer that an operator should know. */
export interface OfferNotice {
  readonly level: "info" | "warn";
  readonly text: string;
}

export interface OfferInput {
  readonly profile: Pick<Profile, "name" | "tools" | "limits">;
  readonly registrations: readonly Registration[];
  /** The store's clock. */
  readonly now: number;
  /** Why a tool is switched off here, in a sentence; null when it is on. */
  readonly off: (registration: Registration) => string | null;
}

/** Models choose the wrong tool more often with more than this many, and clearly more often from the second number on. */
const MANY_TOOLS = 12;
const TOO_MANY_TOOLS = 15;

/**
 * The tools of a new run: what the profile's rules mean, in their order, one version of each name, at most as many as the profile's limit.
 *
 * - Left out is what is switched off here, and what a living worker says cannot be used. A tool whose workers are at zero is offered: its
 *   registration outlives them, and the call waits for one.
 * - A rule `name@version` holds that name to that version, in whatever order the rules stand. Otherwise `preferredVersion` chooses.
 * - No rule, or a tool that is left out, never fails a run: the notices say what is missing.
 */
export function offerTools({ profile, registrations, now, off }: OfferInput): ToolOffer & { readonly notices: readonly OfferNotice[] } {
  const rules = rulesOf(profile, registrations);
  const held = new Map(rules.flatMap((rule) => (rule.by === "name" && rule.version !== null ? [[rule.name, rule.version] as const] : [])));
  const chosen = new Map<string, Registration>();
  const notices: OfferNotice[] = [];
  for (const rule of rules) {
    const meant = registrations.filter(
      (one) => ruleMatches(rule, one) && (held.get(one.definition.name) ?? one.definition.version) === one.definition.version,
    );
    if (meant.length === 0 && rule.by === "name") notices.push(missing(profile.name, rule, registrations));
    for (const [name, versions] of Map.groupBy(meant, ({ definition }) => definition.name)) {
      const usable = versions.filter((one) => whyNot(one, now, off) === null);
      const preferred = preferredVersion(usable, ({ definition }) => definition);
      if (preferred && !chosen.has(name)) chosen.set(name, preferred);
      if (!preferred) notices.push(...versions.map((one) => leftOut(profile.name, one, whyNot(one, now, off))));
    }
  }
  const all = [...chosen.values()];
  const offered = all.slice(0, profile.limits.maxTools);
  return {
    tools: offered.map(({ definition: { name, version }, hash, toolset }) => ({ name, version, hash, toolset })),
    registryVersion: registryVersion(registrations.map(({ definition: { name, version }, hash }) => ({ name, version, hash }))),
    notices: [...notices, ...countNotices(profile, all, offered.length)],
  };
}

/** `all` is every name, in alphabetical order. */
function rulesOf({ tools }: OfferInput["profile"], registrations: readonly Registration[]): readonly ToolRule[] {
  if (tools !== "all") return tools.map(toolRule);
  const names = new Set(registrations.map(({ definition }) => definition.name));
  return [...names].toSorted().map((name) => ({ by: "name", name, version: null }));
}

function whyNot(registration: Registration, now: number, off: OfferInput["off"]): string | null {
  const { name, version } = registration.definition;
  const switched = off(registration);
  if (switched !== null) return switched;
  if (availabilityOf(registration, now) === "unavailable")
    return `Its workers say that "${name}" cannot be used: ${registration.unavailable?.reason ?? "no reason given"}`;
  return compiles(registration) ? null : `The parameters of "${name}" (version ${version}) are no JSON Schema that compiles.`;
}

/** A worker in another language may register anything; one bad schema must not stop a run. */
function compiles({ definition }: Registration): boolean {
  try {
    schemaValidator(definition.parameters);
    return true;
  } catch {
    return false;
  }
}

function missing(profile: string, rule: Extract<ToolRule, { by: "name" }>, registrations: readonly Registration[]): OfferNotice {
  const versions = registrations.filter(({ definition }) => definition.name === rule.name).map(({ definition }) => definition.version);
  const text =
    versions.length === 0
      ? `The profile "${profile}" names the tool "${rule.name}", which no worker has registered.`
      : `The profile "${profile}" names version ${rule.version} of "${rule.name}"; registered: ${versions.toSorted().join(", ")}.`;
  return { level: "warn", text };
}

function leftOut(profile: string, { definition }: Registration, why: string | null): OfferNotice {
  return {
    level: "info",
    text: `New runs of the profile "${profile}" are not offered "${definition.name}@${definition.version}". ${why ?? ""}`,
  };
}

function countNotices({ name, limits }: OfferInput["profile"], all: readonly Registration[], offered: number): readonly OfferNotice[] {
  const notices: OfferNotice[] = [];
  if (all.length > offered) {
    const cut = all.slice(offered, offered + 8).map(({ definition }) => definition.name);
    notices.push({
      level: "warn",
      text: `The profile "${name}" means ${all.length} tools and offers the first ${limits.maxTools}; left out: ${cut.join(", ")}. Name fewer, or raise its limits.maxTools.`,
    });
  }
  if (offered >= TOO_MANY_TOOLS)
    notices.push({
      level: "warn",
      text: `The profile "${name}" offers ${offered} tools: from ${TOO_MANY_TOOLS} on models often choose the wrong one. Split it into profiles with fewer tools.`,
    });
  else if (offered > MANY_TOOLS)
    notices.push({
      level: "warn",
      text: `The profile "${name}" offers ${offered} tools: above ${MANY_TOOLS} models choose the wrong one more often. Leave out what it does not need.`,
    });
  return notices;
}
