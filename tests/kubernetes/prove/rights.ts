import { readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { applied, kubectl, objects } from "./cluster.ts";

/** What a pod could do that has one service's Secret and nothing else. */
export interface RightsReport {
  readonly secret: string;
  /** The answer of the broker to a decision that this login publishes: "allowed" or "refused". */
  readonly decisionPublished: string;
  /** Writes and reads of each family of documents that Redis refused and allowed. */
  readonly redisRefused: number;
  readonly redisAllowed: number;
  /** Deviations from the table of rights, one sentence each. */
  readonly deviations: readonly string[];
}

/**
 * Starts a pod with the Secret of one service alone, which publishes a decision of approvals and tries each right and each forbidden action in Redis.
 * Redis is tried with keys that no service uses.
 */
export async function rightsOfSecret(service: string): Promise<RightsReport> {
  const name = `tries-${service}`;
  await kubectl("delete", "pod,configmap", "-l", `app.kubernetes.io/component=${name}`, "--ignore-not-found");
  await applied(podOf(service, name));
  for (let tries = 0; tries < 120; tries++) {
    const [pod] = await objects("pod", "-l", `app.kubernetes.io/component=${name}`);
    if (pod?.status?.phase === "Succeeded" || pod?.status?.phase === "Failed") break;
    await pause(1000);
  }
  const log = await kubectl("logs", name);
  await kubectl("delete", "pod,configmap", "-l", `app.kubernetes.io/component=${name}`);
  const line = log.split("\n").find((one) => one.startsWith('{"secret"'));
  if (line === undefined) throw new Error(`The pod ${name} printed no report: ${log.trim().split("\n").at(-1) ?? ""}`);
  return JSON.parse(line) as RightsReport;
}

const SCRIPT = readFileSync(new URL("tries-rights.mjs", import.meta.url), "utf8");

function podOf(service: string, name: string): string {
  const env = ["BUS_URL", "STATE_URL"].map((key) => ({ name: key, valueFrom: { secretKeyRef: { name: `toolbus-${service}`, key } } }));
  const labels = { "app.kubernetes.io/component": name };
  const documents = [
    { apiVersion: "v1", kind: "ConfigMap", metadata: { name, labels }, data: { "script.mjs": SCRIPT } },
    {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name, labels },
      spec: {
        restartPolicy: "Never",
        enableServiceLinks: false,
        automountServiceAccountToken: false,
        securityContext: { runAsNonRoot: true, runAsUser: 1000, seccompProfile: { type: "RuntimeDefault" } },
        containers: [
          {
            name: "script",
            image: "toolbus:local",
            imagePullPolicy: "IfNotPresent",
            args: ["/script/script.mjs"],
            env: [...env, { name: "SERVICE", value: service }],
            securityContext: { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ["ALL"] } },
            volumeMounts: [{ name: "script", mountPath: "/script" }],
          },
        ],
        volumes: [{ name: "script", configMap: { name } }],
      },
    },
  ];
  return JSON.stringify({ apiVersion: "v1", kind: "List", items: documents });
}
