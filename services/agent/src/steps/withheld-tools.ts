import { preferredVersion, type Registration, rightsFault, type Run } from "@toolbus/contracts";
import type { Profile } from "../profile.ts";
import { ruleMatches, toolRule } from "../profiles/tool-rule.ts";
import { judged } from "../tool-in-use.ts";
import type { ToolOffers } from "../tool-offers.ts";
import type { Turn } from "../transitions/turn-input.ts";

interface Asking {
  readonly run: Pick<Run, "rights">;
  /** The run's profile. Undefined if the agent no longer knows it. */
  readonly profile: Pick<Profile, "tools"> | undefined;
  readonly calls: Turn["calls"];
  /** The tools that the run can call. */
  readonly tools: ReadonlyMap<string, Registration>;
}

/**
 * Returns the registered tools that these calls name but the run does not have. These are tools that the requester may not use, and tools that match
 * the profile's rules but that nobody could use when the run began. The model then reads the reason instead of an error about an unknown tool. Reads
 * the registry only if a call names a tool that the run does not have. Throws `StoreUnavailable`.
 */
export async function withheldTools(
  toolOffers: Pick<ToolOffers, "registered">,
  { run: { rights }, profile, calls, tools }: Asking,
): Promise<ReadonlyMap<string, Registration>> {
  const unknown = new Set(calls.map(({ name }) => name).filter((name) => !tools.has(name)));
  if (unknown.size === 0) return new Map();
  const registrations = await toolOffers.registered();
  return new Map(
    [...unknown].flatMap((name) => {
      const versions = registrations.filter(({ definition }) => definition.name === name);
      const forbidden = rights !== undefined && versions.every((one) => rightsFault(rights, judged(one)) !== null);
      const withheld = preferredVersion(
        versions.filter((one) => forbidden || isNamed(profile, one)),
        ({ definition }) => definition,
      );
      return withheld ? [[name, withheld] as const] : [];
    }),
  );
}

function isNamed(profile: Asking["profile"], registration: Registration): boolean {
  if (!profile) return false;
  return profile.tools === "all" || profile.tools.some((rule) => ruleMatches(toolRule(rule), registration));
}
