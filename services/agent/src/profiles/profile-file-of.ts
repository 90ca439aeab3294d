import type { ProfileFile } from "@toolbus/contracts";
import type { Profile } from "../profile.ts";

/** Returns the content of a file from which `readProfile` reads this profile. It has every default that the profile has. */
export function profileFileOf(profile: Profile): ProfileFile {
  const { name, description, systemPrompt, tools, limits, model, report, ...rest } = profile;
  const { maxRounds, activeMs, noWorkerMs, budget, ...asInFile } = limits;
  return {
    name,
    description,
    systemPrompt,
    tools: tools === "all" ? tools : [...tools],
    limits: {
      rounds: maxRounds,
      activeSeconds: activeMs / 1000,
      ...(noWorkerMs === undefined ? {} : { noWorkerSeconds: noWorkerMs / 1000 }),
      ...(budget ? { budget } : {}),
      ...asInFile,
    },
    ...(model === null ? {} : { model: modelOf(model) }),
    ...rest,
    seedCalls: [...rest.seedCalls],
    ...(report === null ? {} : { report: { ...report } }),
  };
}

function modelOf({ provider, name }: NonNullable<Profile["model"]>): NonNullable<ProfileFile["model"]> {
  return { ...(provider === null ? {} : { provider }), ...(name === null ? {} : { name }) };
}
