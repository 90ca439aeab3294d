import { definitionFault, quarantineSentence, type Registration } from "@toolbus/contracts";
import type { ToolSetAside } from "@toolbus/models";
import type { ToolRule } from "./profiles/tool-rule.ts";

/** A fact about an offer that an operator should know. */
export interface OfferNotice {
  readonly level: "info" | "warn";
  readonly text: string;
  /** The tool whose parameters the run's provider cannot express. */
  readonly setAside?: SetAside;
  /** The toolset of a quarantined tool. */
  readonly quarantinedIn?: string;
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

/**
 * Reports a quarantined tool. A worker may register any definition, so a model never gets one that was refused. The other tools of the toolset are
 * offered.
 */
export function quarantined(profile: string, { definition, toolset }: Registration): readonly OfferNotice[] {
  const fault = definitionFault(definition);
  if (fault === null) return [];
  const text = `New runs of the profile "${profile}" are not offered a tool of "${toolset}": ${quarantineSentence(definition, fault)}`;
  return [{ level: "warn", text, quarantinedIn: toolset }];
}

export function missing(profile: string, rule: Extract<ToolRule, { by: "name" }>, registrations: readonly Registration[]): OfferNotice {
  const versions = registrations.filter(({ definition }) => definition.name === rule.name).map(({ definition }) => definition.version);
  const text =
    versions.length === 0
      ? `The profile "${profile}" names the tool "${rule.name}", which no worker has registered.`
      : `The profile "${profile}" names version ${rule.version} of "${rule.name}"; registered: ${versions.toSorted().join(", ")}.`;
  return { level: rule.optional ? "info" : "warn", text };
}

export function leftOut(profile: string, { definition }: Registration, why: string | null): OfferNotice {
  return {
    level: "info",
    text: `New runs of the profile "${profile}" are not offered "${definition.name}@${definition.version}". ${why ?? ""}`,
  };
}

export function setAside(
  profile: string,
  { definition, toolset }: Registration,
  { pointer, reason }: ToolSetAside,
  provider: string,
): OfferNotice {
  const { name, version, source } = definition;
  const place = pointer === "" ? "its parameters" : `its parameters at ${pointer}`;
  return {
    level: "warn",
    text: `New runs of the profile "${profile}" are not offered "${name}@${version}" of "${source}": ${provider} has no form for ${place}. ${reason}`,
    setAside: { tool: name, version, toolset, source, provider, pointer },
  };
}
