import { execFile, spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";

/** A deployment of `deploy/k8s` on a cluster, which `try.sh` has started. */
export interface Cluster {
  readonly overlay: string;
  readonly gatewayUrl: string;
  readonly approvalsUrl: string;
  /** The release API of the demonstration. It is the world outside: it counts what was done. */
  readonly releaseApiUrl: string;
  readonly keys: { readonly user: string; readonly operator: string; readonly approver: string };
}

/** An object with the fields that the proofs read. */
export interface ClusterObject {
  readonly metadata: { readonly name: string; readonly labels?: Readonly<Record<string, string>>; readonly deletionTimestamp?: string };
  readonly spec?: { readonly replicas?: number; readonly clusterIP?: string };
  readonly status?: {
    readonly phase?: string;
    readonly podIP?: string;
    readonly containerStatuses?: readonly { readonly ready: boolean; readonly restartCount: number }[];
  };
}

const run = promisify(execFile);
const root = path.join(import.meta.dirname, "../../..");

/** Runs kubectl in the namespace and returns its standard output. Throws with the last line of its standard error. */
export async function kubectl(...args: readonly string[]): Promise<string> {
  try {
    const { stdout } = await run("kubectl", ["-n", "toolbus", ...args], { timeout: 600_000, maxBuffer: 64 * 1024 * 1024 });
    return stdout;
  } catch (error) {
    const { stderr = "" } = error as { readonly stderr?: string };
    throw new Error(`kubectl ${args.join(" ")}: ${stderr.trim().split("\n").at(-1) ?? ""}`, { cause: error });
  }
}

/** Applies objects, given as YAML. */
export async function applied(yaml: string): Promise<void> {
  const child = spawn("kubectl", ["-n", "toolbus", "apply", "-f", "-"], { stdio: ["pipe", "ignore", "inherit"], timeout: 60_000 });
  child.stdin.end(yaml);
  const code = await new Promise<number | null>((resolve) => child.once("exit", resolve));
  if (code !== 0) throw new Error(`kubectl apply ended with ${code}.`);
}

/** Returns the objects of a kind. */
export async function objects(kind: string, ...more: readonly string[]): Promise<readonly ClusterObject[]> {
  const { items } = JSON.parse(await kubectl("get", kind, "-o", "json", ...more)) as { readonly items: readonly ClusterObject[] };
  return items;
}

/** Waits until each pod of these workloads is ready. */
export async function ready(...workloads: readonly string[]): Promise<void> {
  for (const workload of workloads) await kubectl("rollout", "status", workload, "--timeout=300s");
}

/**
 * Finds the deployment. The proofs use the addresses of the Services, so they run on a node of the cluster, or with TOOLBUS_URL, TOOLBUS_APPROVALS_URL and
 * RELEASE_API_URL, for example behind a load balancer.
 */
export async function findCluster(overlay: string): Promise<Cluster> {
  const services = new Map((await objects("service")).map(({ metadata, spec }) => [metadata.name, spec?.clusterIP ?? ""]));
  const key = async (role: string): Promise<string> =>
    (await readFile(path.join(root, `.toolbus/kubernetes-${overlay}/keys/${role}.key`), "utf8")).trim();
  return {
    overlay,
    gatewayUrl: process.env["TOOLBUS_URL"] ?? `http://${services.get("gateway")}:8080`,
    approvalsUrl: process.env["TOOLBUS_APPROVALS_URL"] ?? `http://${services.get("approvals")}:8081`,
    releaseApiUrl: process.env["RELEASE_API_URL"] ?? `http://${services.get("release-api")}:4010`,
    keys: { user: await key("user"), operator: await key("operator"), approver: await key("approver") },
  };
}

/** Sets variables of a Deployment, and waits until its pods have them. A value of null removes the variable. */
export async function configure(deployment: string, env: Readonly<Record<string, string | null>>): Promise<void> {
  const words = Object.entries(env).map(([name, value]) => (value === null ? `${name}-` : `${name}=${value}`));
  await kubectl("set", "env", `deployment/${deployment}`, ...words);
  await ready(`deployment/${deployment}`);
}
