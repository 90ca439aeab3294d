// This module is imported by its path, because the package's index would load the whole package for every command.
import { TOOLBUS_VARIABLES, type UnknownSetting, unknownSettings } from "@toolbus/runtime/unknown-settings";
import type { Surroundings } from "./surroundings.ts";

/** The environment variables that a command reads besides those of every command. */
export type Reads = "nothing" | "models";

/**
 * Reports on standard error each variable that nobody reads although its name looks like one of ours. The report includes the probable name, and
 * never the value. Without this report a typo such as TOOLBUS_ULR would silently select the default address. It checks the variables of models only
 * if the command uses a model.
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
