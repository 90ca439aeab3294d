import { edits, nearest } from "./nearest.ts";
import { TOOLBUS_VARIABLES } from "./toolbus-variables.ts";

export { TOOLBUS_VARIABLES };

/** An environment variable that looks like one of our settings but is not one. */
export interface UnknownSetting {
  readonly variable: string;
  /** The setting that was probably meant; null if none is near. */
  readonly meant: string | null;
}

/**
 * Variables that somebody probably set for this process and that it does not read: those that begin with the name of one of its services or with TOOLBUS_,
 * with LLM_ if it has a model, and those that differ from a setting by a letter or two. `known` are the settings of this process. Only names are read,
 * never values, except for the names in `LLM_CLI_ENV`, which belong to a command.
 */
export function unknownSettings(
  env: Readonly<Record<string, string | undefined>>,
  { known, services }: { readonly known: readonly string[]; readonly services: readonly string[] },
): readonly UnknownSetting[] {
  const settings = new Set<string>([...known, ...TOOLBUS_VARIABLES, ...ofACommand(env)]);
  const prefixes = [
    "TOOLBUS_",
    ...(known.some((name) => name.startsWith(OF_MODELS)) ? [OF_MODELS] : []),
    ...services.map((name) => `${name.toUpperCase().replaceAll("-", "_")}_`),
  ];
  return Object.keys(env)
    .filter((name) => !settings.has(name) && !isOfKubernetes(name, env))
    .map((variable) => ({ variable, meant: nearest(variable, variable.startsWith("TOOLBUS_") ? [...known, ...TOOLBUS_VARIABLES] : known) }))
    .filter(({ variable, meant }) => prefixes.some((prefix) => variable.startsWith(prefix)) || isMisspelt(variable, meant));
}

const OF_MODELS = "LLM_";

function ofACommand(env: Readonly<Record<string, string | undefined>>): readonly string[] {
  return (env["LLM_CLI_ENV"] ?? "").split(/[\s,]+/);
}

/** A short name is near to many. */
function isMisspelt(variable: string, meant: string | null): boolean {
  return meant !== null && edits(variable.toUpperCase(), meant) <= (variable.length < LONG ? 1 : 2);
}

const LONG = 8;

/**
 * What Kubernetes puts into every container of a namespace for each of its Services: one named toolbus gives TOOLBUS_PORT, TOOLBUS_SERVICE_HOST and more.
 */
function isOfKubernetes(name: string, env: Readonly<Record<string, string | undefined>>): boolean {
  return KUBERNETES.test(name) || (name.endsWith("_PORT") && env[`${name.slice(0, -"_PORT".length)}_SERVICE_HOST`] !== undefined);
}

const KUBERNETES = /_(?:SERVICE_HOST|SERVICE_PORT(?:_\w+)?|PORT_\d+_(?:TCP|UDP|SCTP)(?:_\w+)?)$/;
