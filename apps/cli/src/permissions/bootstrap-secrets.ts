import type { KubernetesSecret } from "@toolbus/runtime";
import { EXIT } from "../toolbus/exit-codes.ts";
import { Failure } from "../toolbus/failure.ts";
import type { SecretsApi } from "./in-cluster-api.ts";

/** The Secret with everything that the other Secrets are made of, and with the keys of people. It is created first. */
export const BOOTSTRAP_SECRET = "toolbus-bootstrap";

/** The data directory of the job. */
export interface BootstrapData {
  /** Makes the missing logins and keys, and returns the Secrets with them. The same logins and keys give the same Secrets. */
  secrets(): Promise<readonly KubernetesSecret[]>;
  /** Returns the files of the data directory, as `toolbus-bootstrap` keeps them. */
  files(): Promise<Readonly<Record<string, string>>>;
  /** Puts files from `toolbus-bootstrap` in the place of those that are there. */
  restore(files: Readonly<Record<string, string>>): Promise<void>;
}

export interface Bootstrapped {
  /** The names of the Secrets that were created now. */
  readonly created: readonly string[];
  /** The names of the Secrets that existed, and were not changed. */
  readonly existing: readonly string[];
}

/**
 * Creates the Secrets of a deployment, and replaces none. If any exists and `toolbus-bootstrap` does not, it creates nothing. If `toolbus-bootstrap`
 * exists, an earlier run has begun: its logins and keys are used, and the missing Secrets are created. So a run that ended anywhere can be repeated,
 * and two runs at the same time create the same. Throws a Failure.
 */
export async function bootstrapSecrets(api: SecretsApi, data: BootstrapData): Promise<Bootstrapped> {
  const begun = await api.read(BOOTSTRAP_SECRET);
  if (begun) return complete(api, data, begun);
  const secrets = await data.secrets();
  const existing: string[] = [];
  for (const secret of secrets) if (await api.exists(secret)) existing.push(secret.metadata.name);
  const [first] = secrets;
  const record = { ...first, metadata: { ...first?.metadata, name: BOOTSTRAP_SECRET }, stringData: await data.files() } as KubernetesSecret;
  if (existing.length === 0 && (await api.create(record))) return created(api, secrets, [BOOTSTRAP_SECRET]);
  // Another run may have begun in between.
  const other = await api.read(BOOTSTRAP_SECRET);
  if (other) return complete(api, data, other);
  if (existing.length > 0) return { created: [], existing };
  throw new Failure(EXIT.failed, `Another run created ${BOOTSTRAP_SECRET}, and it was deleted at once: run the command again.`);
}

async function complete(api: SecretsApi, data: BootstrapData, files: Readonly<Record<string, string>>): Promise<Bootstrapped> {
  await data.restore(files);
  return created(api, await data.secrets(), []);
}

async function created(api: SecretsApi, secrets: readonly KubernetesSecret[], before: readonly string[]): Promise<Bootstrapped> {
  const [made, existing]: [string[], string[]] = [[...before], []];
  for (const secret of secrets) ((await api.create(secret)) ? made : existing).push(secret.metadata.name);
  return { created: made, existing };
}
