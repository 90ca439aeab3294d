// Imported separately: otherwise every command would load the whole package.
import { TOOLBUS_VARIABLES, type UnknownSetting, unknownSettings } from "@toolbus/runtime/unknown-settings";
import type { Surroundings } from "./surroundings.ts";

/** Which environment variables a command reads besides those of the command line. */
export type Reads = "nothing" | "models";

/**
 * Reports on standard error the variables that look like ours by their name but that nobody reads, each with the name that was probably meant and never
 * with its value: a typo such as TOOLBUS_ULR would silently lead to the default address. Variables of models are checked only if the command asks a model.
 */
export async function warnOfUnknownVariables({ env, stderr }: Pick<Surroundings, "env" | "stderr">, reads: Reads): Promise<void> {
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
