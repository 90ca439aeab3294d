import { MAX_LEFT_OUT, type OfferedChoice, type Registration, type RunTool } from "@toolbus/contracts";
import { bestServices } from "./best-services.ts";
import { candidatesOf, type CandidatesInput } from "./candidates.ts";
import { mostTools, mostWanted } from "./most-wanted.ts";
import type { OfferNotice } from "./offer-notices.ts";
import type { Profile } from "./profile.ts";

/** The tools that a run gets from the registry when it begins. The run keeps them, whatever is registered later. */
export interface ToolOffer {
  readonly tools: readonly RunTool[];
  /** The version of the whole registry at that time. */
  readonly registryVersion: string;
  /** How the tools were chosen. Absent if all of them are offered. */
  readonly choice?: OfferedChoice;
}

export interface OfferInput extends CandidatesInput {
  readonly profile: Pick<Profile, "name" | "tools" | "limits" | "seedCalls" | "report">;
  /** The run's message, which selects tools if there are too many. */
  readonly about: string;
  /** The tools that earlier runs of the conversation called, the latest first. They stay offered if there are too many. */
  readonly called?: readonly string[];
  /** The words of a model about services, by the id of the service. They only change which services are named. */
  readonly words?: ReadonlyMap<string, readonly string[]>;
}

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
  const { all, notices, registryVersion } = candidatesOf({ profile, registrations, now, off, rights, model });
  const most = mostTools(profile, model.dialect);
  const { offered, leftOut: rest } = mostWanted(all, { profile, about, called, most });
  return {
    tools: offered.map(({ definition: { name, version }, hash, toolset }) => ({ name, version, hash, toolset })),
    registryVersion,
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
