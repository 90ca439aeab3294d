import { setTimeout as pause } from "node:timers/promises";
import { patientClient } from "../../e2e/apart/client.ts";
import { applied, type Cluster, configure, kubectl, objects, ready } from "./cluster.ts";

/** How long the tool waits in the scaling proof. */
const TOOL_MS = 200;
const CALLS = 60;
const RELEASE = "32839529";

/** The figures of the scaling proof. */
export interface ScalingReport {
  readonly callsPerSecond: Readonly<Record<number, number>>;
  readonly fourAgainstOne: number;
  /** Calls that were sent while no worker ran, and how many of them were answered after one came back. */
  readonly sentToNobody: number;
  readonly answeredAfterwards: number;
  readonly failed: readonly string[];
}

/**
 * Scales the workers of the toolset "release" to 1, 4, 0 and 1, with a target that needs 200 ms for each read and workers that make one call at a time.
 * Puts everything back at the end.
 */
export async function scaling(cluster: Cluster): Promise<ScalingReport> {
  const client = patientClient({ gatewayUrls: [cluster.gatewayUrl], approvalsUrls: [cluster.approvalsUrl], keys: cluster.keys });
  await applied(SLOW_API);
  await ready("deployment/slow-release-api");
  try {
    await scaleTo(1);
    await configure("worker-release", { RELEASE_API_URL: "http://slow-release-api:4010", WORKER_CONCURRENCY: "1" });
    const failed: string[] = [];
    const perSecond: Record<number, number> = {};
    for (const workers of [1, 4]) {
      await scaleTo(workers);
      await Promise.all(Array.from({ length: 4 }, () => read()));
      const began = performance.now();
      const ends = await Promise.all(Array.from({ length: CALLS }, () => read()));
      perSecond[workers] = round(CALLS / ((performance.now() - began) / 1000));
      failed.push(...ends.filter((end) => end !== "ok"));
    }
    await scaleTo(0);
    const waiting = Array.from({ length: 10 }, () => read());
    await pause(15_000);
    await scaleTo(1);
    const late = await Promise.all(waiting);
    return {
      callsPerSecond: perSecond,
      fourAgainstOne: round((perSecond[4] ?? 0) / (perSecond[1] ?? 1)),
      sentToNobody: waiting.length,
      answeredAfterwards: late.filter((end) => end === "ok").length,
      failed: [...failed, ...late.filter((end) => end !== "ok")],
    };
  } finally {
    await configure("worker-release", { RELEASE_API_URL: "http://release-api:4010", WORKER_CONCURRENCY: null });
    await scaleTo(2);
    await kubectl("delete", "deployment,service,configmap", "-l", "app.kubernetes.io/component=slow-release-api");
  }

  async function read(): Promise<string> {
    try {
      const { runId } = await client.say(`get_release_summary {"release_id": "${RELEASE}"}`);
      const events = await client.toTheEnd(runId);
      const resolved = events.map(({ event }) => event).find((event) => event.type === "call.resolved");
      if (resolved?.type !== "call.resolved") return `${events.at(-1)?.event.type ?? "no event"} without a result`;
      return resolved.status;
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  }
}

async function scaleTo(workers: number): Promise<void> {
  await kubectl("scale", "deployment/worker-release", `--replicas=${workers}`);
  await ready("deployment/worker-release");
  for (let tries = 0; tries < 120; tries++) {
    const pods = await objects("pod", "-l", "app.kubernetes.io/component=worker-release");
    if (pods.length === workers) return;
    await pause(1000);
  }
  throw new Error(`The Deployment worker-release did not come to ${workers} pods in two minutes.`);
}

function round(number: number): number {
  return Math.round(number * 100) / 100;
}

/** A proxy that waits before it passes a request on to the release API. */
const SLOW_API = `
apiVersion: v1
kind: ConfigMap
metadata: { name: slow-release-api, labels: { app.kubernetes.io/component: slow-release-api } }
data:
  proxy.mjs: |
    import http from "node:http";
    http.createServer((request, response) => {
      setTimeout(() => {
        const passed = http.request({ host: "release-api", port: 4010, path: request.url, method: request.method, headers: request.headers }, (answer) => {
          response.writeHead(answer.statusCode, answer.headers);
          answer.pipe(response);
        });
        passed.on("error", () => response.writeHead(502).end());
        request.pipe(passed);
      }, ${TOOL_MS});
    }).listen(4010);
    process.on("SIGTERM", () => process.exit(0));
---
apiVersion: v1
kind: Service
metadata: { name: slow-release-api, labels: { app.kubernetes.io/component: slow-release-api } }
spec:
  selector: { app.kubernetes.io/component: slow-release-api }
  ports: [{ port: 4010 }]
---
apiVersion: apps/v1
kind: Deployment
metadata: { name: slow-release-api, labels: { app.kubernetes.io/component: slow-release-api } }
spec:
  selector: { matchLabels: { app.kubernetes.io/component: slow-release-api } }
  template:
    metadata: { labels: { app.kubernetes.io/name: toolbus, app.kubernetes.io/component: slow-release-api } }
    spec:
      enableServiceLinks: false
      automountServiceAccountToken: false
      securityContext: { runAsNonRoot: true, runAsUser: 1000, seccompProfile: { type: RuntimeDefault } }
      containers:
        - name: proxy
          image: toolbus:local
          imagePullPolicy: IfNotPresent
          args: [/proxy/proxy.mjs]
          securityContext: { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: [ALL] } }
          readinessProbe: { tcpSocket: { port: 4010 }, periodSeconds: 1 }
          volumeMounts: [{ name: proxy, mountPath: /proxy }]
      volumes: [{ name: proxy, configMap: { name: slow-release-api } }]
`;
