import { connectModel, type ModelProvider, UnknownModelProvider } from "@toolbus/models";
import { Refusal } from "@toolbus/runtime";
import type { Profile } from "../profile.ts";

/** The model that answers the runs of each profile, by the profile's name. */
export type ModelOf = (profile: string) => ModelProvider;

export interface ProcessModel {
  /** What answers where a profile says nothing. */
  readonly provider: ModelProvider;
  /** `LLM_PROVIDER`: where a profile names a model but no provider. */
  readonly name: string;
  /** Put round every provider that a profile brings. */
  readonly wrap: (provider: ModelProvider) => ModelProvider;
}

/** Connects every model that a profile names, at once, so that a wrong one stops the start. Throws `Refusal`. */
export function profileModels(profiles: Iterable<Profile>, { provider, name, wrap }: ProcessModel): ModelOf {
  const own = new Map<string, ModelProvider>();
  for (const profile of profiles) if (profile.model) own.set(profile.name, wrap(connected(profile.name, profile.model, name)));
  return (profile) => own.get(profile) ?? provider;
}

function connected(profile: string, model: NonNullable<Profile["model"]>, processProvider: string): ModelProvider {
  try {
    return connectModel(model.provider ?? processProvider, model.name);
  } catch (error) {
    if (error instanceof UnknownModelProvider)
      throw new Refusal(`The profile "${profile}" names a model that cannot be used: ${error.message}`);
    throw error;
  }
}
