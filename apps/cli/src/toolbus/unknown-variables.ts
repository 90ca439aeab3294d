// Alone: all of the package would be loaded for every command.
import { TOOLBUS_VARIABLES, type UnknownSetting, unknownSettings } from "@toolbus/runtime/unknown-settings";
import type { Surroundings } from "./surroundings.ts";

/** What a command reads of the environment besides the variables of the command line. */
export type Reads = "nothing" | "models";

/**
 * Names on standard error the variables that are ours by their name and that nobody reads, each with the one that was probably meant and never with its value:
 * TOOLBUS_ULR leads to the default address without a word. Of models they are looked at where the command asks one.
 */
export async function tellUnknownVariables({ env, stderr }: Pick<Surroundings, "env" | "stderr">, reads: Reads): Promise<void> {
  const ours = unknownSettings(env, { known: TOOLBUS_VARIABLES, services: [] });
  const named = new Set(ours.map(({ variable }) => variable));
  const ofModels = reads === "models" ? (await unknownOfModels(env)).filter(({ variable }) => !named.has(variable)) : [];
  for (const { variable, meant } of [...ours, ...ofModels])
    stderr.write(`${variable} is not a variable of toolbus and is not read${meant === null ? "." : `: was ${meant} meant?`}\n`);
}

async function unknownOfModels(env: Surroundings["env"]): Promise<readonly UnknownSetting[]> {
  const { unknownModelSettings } = await import("@toolbus/all-in-one");
  return unknownModelSettings(env);
}
