import { connectModel, type ModelProvider, ModelRefused, type ModelSettings, settingsFor } from "@toolbus/models";
import { Refusal } from "@toolbus/runtime";
import type { Profile } from "../profile.ts";

/** The model that answers the runs of each profile, by the profile's name. */
export type ModelOf = (profile: string) => ModelProvider;

export interface ProcessModel {
  /** The answer for a profile that names no model. */
  readonly provider: ModelProvider;
  /** The process's settings: keys and addresses for the models of profiles, and the provider for profiles that name only a model. */
  readonly settings: ModelSettings;
  /** Wraps every provider that a profile brings. */
  readonly wrap: (provider: ModelProvider) => ModelProvider;
}

/** Connects every model that a profile names, at once, so that a wrong one stops the start. Throws `Refusal`. */
export async function profileModels(profiles: Iterable<Profile>, { provider, settings, wrap }: ProcessModel): Promise<ModelOf> {
  const own = new Map<string, ModelProvider>();
  for (const profile of profiles) if (profile.model) own.set(profile.name, wrap(await connected(profile.name, profile.model, settings)));
  return (profile) => own.get(profile) ?? provider;
}

/** The model that the process is set to. Throws `Refusal`. */
export async function processModel(settings: ModelSettings): Promise<ModelProvider> {
  return refusing("", () => connectModel(settings));
}

async function connected(profile: string, model: NonNullable<Profile["model"]>, settings: ModelSettings): Promise<ModelProvider> {
  return refusing(`The profile "${profile}" names a model that cannot be used: `, () => connectModel(settingsFor(settings, model)));
}

async function refusing(before: string, connect: () => Promise<ModelProvider>): Promise<ModelProvider> {
  try {
    return await connect();
  } catch (error) {
    throw error instanceof ModelRefused ? new Refusal(`${before}${error.message}`) : error;
  }
}
