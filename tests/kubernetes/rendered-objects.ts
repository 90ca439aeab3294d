import { execFile, spawnSync } from "node:child_process";
import path from "node:path";
import { promisify } from "node:util";
import { parseAllDocuments } from "yaml";

/** An object of Kubernetes, as kustomize prints it. */
export interface RenderedObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly labels?: Readonly<Record<string, string>> };
  readonly spec?: Readonly<Record<string, unknown>>;
  readonly data?: Readonly<Record<string, string>>;
  readonly [field: string]: unknown;
}

/** The overlays of `deploy/k8s`. */
export const OVERLAYS = ["rabbitmq", "nats", "laptop", "production", "production-nats", "production-hpa"] as const;
export type Overlay = (typeof OVERLAYS)[number];

/** Whether kubectl is on the PATH. Without it, the tests of the overlays are skipped. */
export const hasKubectl = spawnSync("kubectl", ["version", "--client"], { stdio: "ignore", timeout: 30_000 }).error === undefined;

const root = path.join(import.meta.dirname, "../..");
const run = promisify(execFile);

/** Returns the objects of an overlay, as `kubectl kustomize` prints them. Needs kubectl, and no cluster. Throws if a document is not valid YAML. */
export async function renderedObjects(overlay: Overlay | "bootstrap"): Promise<readonly RenderedObject[]> {
  const folder = path.join(root, "deploy/k8s/overlays", overlay);
  const { stdout } = await run("kubectl", ["kustomize", folder], { timeout: 60_000, maxBuffer: 16 * 1024 * 1024 });
  return objectsIn(stdout);
}

/** Returns the objects of a stream of YAML documents. */
export function objectsIn(text: string): readonly RenderedObject[] {
  return parseAllDocuments(text, { strict: true, uniqueKeys: true }).map((document) => {
    const [error] = document.errors;
    if (error) throw error;
    return document.toJS() as RenderedObject;
  });
}
