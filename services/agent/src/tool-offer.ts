import {
  availabilityOf,
  goneSince,
  definitionFault,
  type JudgedTool,
  MAX_LEFT_OUT,
  type OfferedChoice,
  preferredVersion,
  publicTool,
  quarantineSentence,
  type Registration,
  registryVersion,
  rightsFault,
  type RunTool,
  type ToolRights,
} from "@toolbus/contracts";
import { compileTool, type DialectName, type ToolSetAside } from "@toolbus/models";
import { bestServices } from "./best-services.ts";
import { mostTools, mostWanted } from "./most-wanted.ts";
import type { Profile } from "./profile.ts";
import { ruleMatches, type ToolRule, toolRule } from "./profiles/tool-rule.ts";

/** The tools that a run gets from the registry when it begins. The run keeps them, whatever is registered later. */
export interface ToolOffer {
  readonly tools: readonly RunTool[];
  /** The version of the whole registry at that time. */
  readonly registryVersion: string;
  /** How the tools were chosen. Absent if all of them are offered. */
  readonly choice?: OfferedChoice;
}

/** A fact about an offer that an operator should know. */
export interface OfferNotice {
  readonly level: "info" | "warn";
  readonly text: string;
  /** The tool whose parameters the run's provider cannot express. */
  readonly setAside?: SetAside;
}

export interface SetAside {
  readonly tool: string;
  readonly version: string;
  readonly toolset: string;
  readonly source: string;
  readonly provider: string;
  /** The JSON Pointer of the fault in the tool's parameters. */
  readonly pointer: string;
}

export interface OfferInput {
  readonly profile: Pick<Profile, "name" | "tools" | "limits" | "seedCalls" | "report">;
  readonly registrations: readonly Registration[];
  /** The store's time, in milliseconds. */
  readonly now: number;
  /** Returns why a tool is switched off here, in a sentence, or null if it is on. */
  readonly off: (registration: Registration) => string | null;
  /** The rights of the run's requester. */
  readonly rights: ToolRights;
  /** The model of the run. Tools whose parameters its provider cannot express are not offered. */
  readonly model: OfferedTo;
  /** The run's message, which selects tools if there are too many. */
  readonly about: string;
  /** The tools that earlier runs of the conversation called, the latest first. They stay offered if there are too many. */
  readonly called?: readonly string[];
  /** The words of a model about services, by the id of the service. They only change which services are named. */
  readonly words?: ReadonlyMap<string, readonly string[]>;
}

export interface OfferedTo {
  readonly name: string;
  readonly dialect: DialectName;
}

/** A tool whose toolset has had no worker for this long is not offered to new runs, unless its workers may be scaled to zero. */
const GONE_FOR_MS = 3_600_000;

/** With more than 12 tools, models choose the wrong tool more often. From 15 on, they do so clearly more often. */
const MANY_TOOLS = 12;
const TOO_MANY_TOOLS = 15;

/**
 * Selects the tools of a new run: those that match the profile's rules, in the order of the rules, with one version of each name. If the profile or
 * the vendor accepts fewer tools, it selects those that fit the run's message best.
 */
export function offerTools({
  profile,
  registrations,
  now,
  off,
  rights,
  model,
  about,
  called = [],
  words,
}: OfferInput): ToolOffer & { readonly notices: readonly OfferNotice[] } {
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
      const preferred = preferredVersion(usable, ({ definition }) => definition);
      for (const [one, fault] of faults) if (fault) notices.push(setAside(profile.name, one, fault, model));
      if (preferred && !chosen.has(name)) chosen.set(name, preferred);
      const out = preferred ? [] : sound.filter((one) => !inUse.includes(one));
      notices.push(...out.map((one) => leftOut(profile.name, one, why(one))));
      notices.push(...versions.flatMap((one) => quarantined(profile.name, one)));
    }
  }
  const all = [...chosen.values()];
  const most = mostTools(profile, model.dialect);
  const { offered, leftOut: rest } = mostWanted(all, { profile, about, called, most });
  return {
    tools: offered.map(({ definition: { name, version }, hash, toolset }) => ({ name, version, hash, toolset })),
    registryVersion: registryVersion(registrations.map(({ definition: { name, version }, hash }) => ({ name, version, hash }))),
    ...(rest.length === 0 ? {} : { choice: choiceMade(all, rest, { about, now, model, words }) }),
    notices: [...notices, ...countNotices(profile, all.length, offered.length)],
  };
}

function choiceMade(
  all: readonly Registration[],
  leftOut: readonly Registration[],
  { about, now, model, words }: Pick<OfferInput, "about" | "now" | "model"> & { readonly words: OfferInput["words"] | undefined },
): OfferedChoice {
  // The rules of the provider `offline` search the person's own words for names of tools.
  const services = model.name === "offline" ? [] : bestServices(all, about, now, words);
  return {
    matched: all.length,
    leftOut: leftOut.slice(0, MAX_LEFT_OUT).map(({ definition }) => definition.name),
    ...(services.length === 0 ? {} : { services }),
  };
}

/** Returns the profile's rules. `all` means one rule for every name, in alphabetical order. */
function rulesOf({ tools }: OfferInput["profile"], registrations: readonly Registration[]): readonly ToolRule[] {
  if (tools !== "all") return tools.map(toolRule);
  const names = new Set(registrations.map(({ definition }) => definition.name));
  return [...names].toSorted().map((name) => ({ by: "name", name, version: null }));
}

/** Returns a registered tool in the form in which its requester's rights are checked. */
export function judged({ toolset, definition: { name, scopes } }: Registration): JudgedTool {
  return { name, toolset, scopes };
}

/** Returns why nobody can use a tool now, in a sentence, or null if it can be used. `fixed` are tools that a profile itself calls. */
export function whyNot(
  registration: Registration,
  { now, off, fixed }: Pick<OfferInput, "now" | "off"> & { readonly fixed: ReadonlySet<string> },
): string | null {
  const { name } = registration.definition;
  const switched = off(registration);
  if (switched !== null) return switched;
  const gone = goneSince(registration, now);
  if (gone !== null && !registration.scalesToZero && now - gone > GONE_FOR_MS)
    return `"${registration.toolset}" has had no worker since ${new Date(gone).toISOString()}: start one, or unregister the tool.`;
  if (availabilityOf(registration, now) === "unavailable" && !fixed.has(name))
    return `Its workers say that "${name}" cannot be used: ${registration.unavailable?.reason ?? "no reason given"}`;
  return null;
}

function faultFor({ definition }: Registration, { dialect }: OfferedTo): ToolSetAside | null {
  const compiled = compileTool(publicTool(definition), dialect);
  return compiled.ok ? null : compiled;
}

/**
 * Reports a quarantined tool. A worker may register any definition, so a model never gets one that was refused. The other tools of the toolset are
 * offered.
 */
function quarantined(profile: string, { definition, toolset }: Registration): readonly OfferNotice[] {
  const fault = definitionFault(definition);
  if (fault === null) return [];
  const text = `New runs of the profile "${profile}" are not offered a tool of "${toolset}": ${quarantineSentence(definition, fault)}`;
  return [{ level: "warn", text }];
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

function setAside(
  profile: string,
  { definition, toolset }: Registration,
  { pointer, reason }: ToolSetAside,
  model: OfferedTo,
): OfferNotice {
  const { name, version, source } = definition;
  const place = pointer === "" ? "its parameters" : `its parameters at ${pointer}`;
  return {
    level: "warn",
    text: `New runs of the profile "${profile}" are not offered "${name}@${version}" of "${source}": ${model.name} has no form for ${place}. ${reason}`,
    setAside: { tool: name, version, toolset, source, provider: model.name, pointer },
  };
}

function countNotices({ name, limits }: OfferInput["profile"], all: number, offered: number): readonly OfferNotice[] {
  const notices: OfferNotice[] = [];
  if (all > offered) {
    const raise = offered < limits.maxTools ? "" : ", or raise its limits.maxTools";
    notices.push({
      level: "warn",
      text: `The profile "${name}" matches ${all} tools; each run is offered the ${offered} that fit its message best. Name fewer${raise}.`,
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
