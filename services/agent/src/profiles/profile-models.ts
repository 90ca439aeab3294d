import { connectModel, type ModelProvider, ModelRefused, type ModelSettings, settingsFor } from "@toolbus/models";
import { Refusal } from "@toolbus/runtime";
import type { Profile } from "../profile.ts";

/** Returns the model for the runs of the profile with this name. */
export type ModelOf = (profile: string) => ModelProvider;

export interface ProcessModel {
  /** The model for profiles that name none. */
  readonly provider: ModelProvider;
  /** The process's settings. They contain the keys and addresses for the models of profiles, and the provider of profiles that name only a model. */
  readonly settings: ModelSettings;
  /** Wraps the provider of each model that a profile names. */
  readonly wrap: (provider: ModelProvider) => ModelProvider;
}

/** Connects every model that a profile names. Connects at the start of the agent, so that a wrong model stops the start. Throws `Refusal`. */
export async function profileModels(profiles: Iterable<Profile>, { provider, settings, wrap }: ProcessModel): Promise<ModelOf> {
  const own = new Map<string, ModelProvider>();
  for (const profile of profiles) if (profile.model) own.set(profile.name, wrap(await connected(profile.name, profile.model, settings)));
  return (profile) => own.get(profile) ?? provider;
}

/** Connects the model of the process's settings. Throws `Refusal`. */
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
