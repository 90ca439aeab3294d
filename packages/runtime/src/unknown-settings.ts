import { edits, nearest } from "@toolbus/contracts";
import { TOOLBUS_VARIABLES } from "./toolbus-variables.ts";

export { TOOLBUS_VARIABLES };

/** An environment variable that looks like one of our settings but is not one. */
export interface UnknownSetting {
  readonly variable: string;
  /** The setting that somebody probably meant. Null if no name is near. */
  readonly meant: string | null;
}

/**
 * Returns variables that somebody probably set for this process, although it does not read them. Such a variable begins with the name of one of the
 * process's services, with TOOLBUS_, or with LLM_ if the process has a model. Or it differs from a setting by one or two letters. `known` contains
 * the settings of this process. The function reads only names, except for the value of `LLM_CLI_ENV`, which names variables of a command.
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

/** Returns whether a name is probably a typo. A short name may have only one wrong letter, because it is near to many names. */
function isMisspelt(variable: string, meant: string | null): boolean {
  return meant !== null && edits(variable.toUpperCase(), meant) <= (variable.length < LONG ? 1 : 2);
}

const LONG = 8;

/**
 * Returns whether Kubernetes sets the variable. In every container of a namespace, Kubernetes sets variables for each Service. For a Service named
 * toolbus these are TOOLBUS_PORT, TOOLBUS_SERVICE_HOST and others.
 */
function isOfKubernetes(name: string, env: Readonly<Record<string, string | undefined>>): boolean {
  return KUBERNETES.test(name) || (name.endsWith("_PORT") && env[`${name.slice(0, -"_PORT".length)}_SERVICE_HOST`] !== undefined);
}

const KUBERNETES = /_(?:SERVICE_HOST|SERVICE_PORT(?:_\w+)?|PORT_\d+_(?:TCP|UDP|SCTP)(?:_\w+)?)$/;
