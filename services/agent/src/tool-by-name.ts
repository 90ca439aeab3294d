import {
  definitionFault,
  findService,
  findTool,
  isBridgeTool,
  preferredRegistration,
  type Registration,
  rightsFault,
  serviceIdOf,
  type ToolRights,
} from "@toolbus/contracts";
import { rank } from "@toolbus/models";
import type { Profile } from "./profile.ts";
import { ruleMatches, type ToolRule, toolRule } from "./profiles/tool-rule.ts";
import { judged, whyNot } from "./tool-in-use.ts";
import type { OfferInput } from "./tool-offer.ts";

/** The names of a service and of one of its tools, as a model wrote them. */
export interface AskedName {
  readonly service: string;
  readonly tool: string;
}

/** The registered tool that two names mean, if the run may call it. */
export type ToolByName =
  | { readonly kind: "usable"; readonly tool: Registration }
  /** The tool exists. The requester may not use it, or nobody can use it now. */
  | { readonly kind: "withheld"; readonly tool: Registration }
  | { readonly kind: "off"; readonly tool: Registration; readonly why: string }
  /** No tool has these names, or the profile does not allow it. `nearest` are names of tools that the run may call. */
  | { readonly kind: "none"; readonly nearest: readonly string[] };

export interface ByNameInput extends Pick<OfferInput, "now" | "off"> {
  readonly profile: Pick<Profile, "tools">;
  readonly registrations: readonly Registration[];
  /** The rights of the run's requester. Undefined for a run of an old version, whose writes approvals checks. */
  readonly rights: ToolRights | undefined;
}

/**
 * Finds the tool that a model names in the arguments of another tool. The run may call it if the rules of the profile, the requester's rights and the
 * flags allow it, even if the run was not offered it because of the profile's limit. The tools of the bridge itself cannot be called in this way.
 */
export function toolByName(input: ByNameInput, asked: AskedName): ToolByName {
  const { registrations, rights, now } = input;
  const newest = (versions: readonly Registration[]): Registration | undefined => preferredRegistration(versions, now);
  const callable = registrations.filter((one) => !isBridgeTool(one));
  const services = [...Map.groupBy(callable, serviceIdOf)].map(([id, tools]) => ({ id, tools: latestOf(tools, now) }));
  const service = findService(services, asked.service);
  const found = service && findTool(service, asked.tool);
  if (!found) return none(input, callable, asked);
  const versions = callable.filter((one) => one.toolset === found.toolset && one.definition.name === found.definition.name);
  const forbidden = (one: Registration): boolean => rights !== undefined && rightsFault(rights, judged(one)) !== null;
  if (versions.every(forbidden)) return { kind: "withheld", tool: found };
  const allowed = versions.filter((one) => isAllowed(input.profile, one));
  if (allowed.length === 0) return none(input, callable, asked);
  // The agent refuses the call of a quarantined definition like every other such call.
  const sound = allowed.filter(({ definition }) => definitionFault(definition) === null);
  if (sound.length === 0) return { kind: "usable", tool: newest(allowed) ?? found };
  const permitted = sound.filter((one) => !forbidden(one));
  if (permitted.length === 0) return { kind: "withheld", tool: newest(sound) ?? found };
  const on = permitted.filter((one) => input.off(one) === null);
  const [switchedOff] = permitted;
  if (on.length === 0 && switchedOff) return { kind: "off", tool: switchedOff, why: input.off(switchedOff) ?? "" };
  const ready = newest(on.filter((one) => whyNot(one, { ...input, fixed: NONE }) === null));
  return ready ? { kind: "usable", tool: ready } : { kind: "withheld", tool: newest(on) ?? found };
}

const NONE: ReadonlySet<string> = new Set();
const MOST_NEAREST = 5;

function none({ profile, rights, off }: ByNameInput, callable: readonly Registration[], { service, tool }: AskedName): ToolByName {
  const names = callable
    .filter((one) => isAllowed(profile, one) && off(one) === null && (!rights || rightsFault(rights, judged(one)) === null))
    .map(({ definition }) => definition.name);
  const ranked = rank([...new Set(names)].toSorted(), (name) => name, `${service} ${tool}`);
  return { kind: "none", nearest: ranked.slice(0, MOST_NEAREST).map(({ item }) => item) };
}

/** Returns whether the rules of the profile allow this version of a tool. A rule that pins a version allows no other version of the name. */
function isAllowed({ tools }: Pick<Profile, "tools">, registration: Registration): boolean {
  if (tools === "all") return true;
  const { name, version } = registration.definition;
  const rules = tools.map(toolRule);
  const pinned = rules.find(
    (rule): rule is Extract<ToolRule, { by: "name" }> => rule.by === "name" && rule.name === name && rule.version !== null,
  );
  if (pinned && pinned.version !== version) return false;
  return rules.some((rule) => ruleMatches(rule, registration));
}

/** Returns one version of each name. */
function latestOf(registrations: readonly Registration[], now: number): readonly Registration[] {
  const names = [...Map.groupBy(registrations, ({ definition }) => definition.name).values()];
  return names.flatMap((versions) => preferredRegistration(versions, now) ?? []);
}
