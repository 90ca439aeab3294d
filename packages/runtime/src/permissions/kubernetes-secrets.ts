import { readFile } from "node:fs/promises";
import path from "node:path";
import { OPERATIONS, SET_UP, workerOf } from "@toolbus/contracts";
import { stringify } from "yaml";
import { Refusal } from "../refusal.ts";
import { type ServiceKeyFiles, workerKeyFile } from "../service-key-files.ts";
import type { PermissionPlan } from "./permission-plan.ts";

/** A Secret of Kubernetes, as the API accepts it. */
export interface KubernetesSecret {
  readonly apiVersion: "v1";
  readonly kind: "Secret";
  readonly metadata: { readonly name: string; readonly labels: Readonly<Record<string, string>> };
  readonly type: "Opaque";
  readonly stringData: Readonly<Record<string, string>>;
}

/** The files with the keys of a deployment. */
export interface DeploymentKeyFiles {
  readonly services: ServiceKeyFiles;
  /** The file of hashes of the keys with which people use the gateway. */
  readonly gatewayKeysFile: string;
  /** The file of hashes of the keys with which people use approvals. */
  readonly approvalsKeysFile: string;
}

/**
 * Returns the Secrets for the objects of `deploy/k8s`: one for each service, with only its own login and its own keys, one for the job that sets up the
 * servers, and one for each server. No Secret contains a person's key. `setUpRecord` is the text of a `permissions.json` that has only the login for the
 * setup. Throws a `Refusal` if a key file cannot be read.
 */
export async function kubernetesSecrets(
  plan: PermissionPlan,
  keys: DeploymentKeyFiles,
  setUpRecord: string,
): Promise<readonly KubernetesSecret[]> {
  const { services } = keys;
  const ofService: Readonly<Record<string, readonly string[]>> = {
    gateway: [services.gateway, keys.gatewayKeysFile],
    agent: [services.agent],
    approvals: [services.approvals, services.seals, keys.approvalsKeysFile],
    [OPERATIONS]: [workerKeyFile(services, OPERATIONS)],
    ...Object.fromEntries(plan.deployment.parts.toolsets.map((toolset) => [workerOf(toolset), [workerKeyFile(services, toolset)]])),
  };
  const secrets: KubernetesSecret[] = [];
  for (const { service } of plan.services) {
    const { busUrl, stateUrl } = plan.addressesOf(service);
    const files = [...(ofService[service] ?? []), services.trusted];
    const texts = await Promise.all(files.map(async (file) => [path.basename(file), await textOf(file)] as const));
    secrets.push(secretOf(secretName(service), { BUS_URL: busUrl, STATE_URL: stateUrl, ...Object.fromEntries(texts) }));
  }
  secrets.push(secretOf(secretName(SET_UP), { "permissions.json": setUpRecord }));
  for (const { server, name, text } of plan.serverFiles()) secrets.push(secretOf(`toolbus-${server}`, { [name]: text }));
  return secrets;
}

/** Returns the name of the Secret of a login. All workers have names of one form, also the one for dead letters. */
function secretName(login: string): string {
  return `toolbus-${login === OPERATIONS ? workerOf(OPERATIONS) : login}`;
}

/** Returns the Secrets as YAML documents, for `kubectl apply -f -`. */
export function secretsAsYaml(secrets: readonly KubernetesSecret[]): string {
  return secrets.map((secret) => `---\n${stringify(secret, { lineWidth: 0 })}`).join("");
}

function secretOf(name: string, stringData: Readonly<Record<string, string>>): KubernetesSecret {
  return {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name, labels: { "app.kubernetes.io/name": "toolbus", "app.kubernetes.io/part-of": "toolbus" } },
    type: "Opaque",
    stringData,
  };
}

async function textOf(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "unknown";
    throw new Refusal(`The key file ${file} cannot be read (${code}): give this user the right to, or name another data directory.`, {
      cause: error,
    });
  }
}
