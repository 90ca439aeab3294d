import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { patientClient } from "../../e2e/apart/client.ts";
import { NO_PROMETHEUS, startPrometheus } from "../../e2e/testing/prometheus.ts";
import { dashboardQueries } from "../../observability/queries.ts";
import { applied, type Cluster, kubectl, objects, ready } from "./cluster.ts";

/** What a real Prometheus got from the cluster. */
export interface MetricsReport {
  /** Ready processes by the name of their service. */
  readonly readyProcesses: Readonly<Record<string, number>>;
  /** Addresses of pods that could not be read. */
  readonly down: readonly string[];
  readonly queries: number;
  /** Queries of dashboards that have no figure after the load. */
  readonly without: readonly string[];
  readonly faultyRules: readonly string[];
}

const OBSERVABILITY = path.join(import.meta.dirname, "../../../deploy/observability");
const RULES = path.join(OBSERVABILITY, "rules/toolbus.yml");
const LONGEST_MS = 180_000;

/** Reads each pod of a service with a Prometheus on this machine, during a small load of reads, writes and failures, and evaluates all dashboards and rules. */
export async function metricsOf(cluster: Cluster, services: readonly string[]): Promise<MetricsReport> {
  if (NO_PROMETHEUS !== null) throw new Error(`${NO_PROMETHEUS}: the proof "metrics" needs it on this machine.`);
  try {
    await giveModelPrices(true);
    return await readBy(cluster, services);
  } finally {
    await giveModelPrices(false);
  }
}

async function readBy(cluster: Cluster, services: readonly string[]): Promise<MetricsReport> {
  const pods = await objects("pod", "-l", `app.kubernetes.io/component in (${services.join(",")})`);
  const targets = pods.flatMap(({ metadata, status }) =>
    metadata.deletionTimestamp === undefined && status?.podIP !== undefined ? [`${status.podIP}:9464`] : [],
  );
  const folder = mkdtempSync(path.join(tmpdir(), "toolbus-prove-"));
  const prometheus = await startPrometheus(folder, { targets, rules: RULES });
  try {
    const queries = readdirSync(path.join(OBSERVABILITY, "grafana"))
      .filter((name) => name.endsWith(".json"))
      .flatMap((name) => dashboardQueries(readFileSync(path.join(OBSERVABILITY, "grafana", name), "utf8")))
      .map(({ title, expr }) => ({ title, expr: expr.replaceAll("$__rate_interval", "1m") }));
    const client = patientClient({ gatewayUrls: [cluster.gatewayUrl], approvalsUrls: [cluster.approvalsUrl], keys: cluster.keys });
    let without: readonly string[] = [];
    for (const until = performance.now() + LONGEST_MS; performance.now() < until; await pause(1000)) {
      const runs = await Promise.all([
        client.investigate("32839529"),
        client.say('get_release_summary {"release_id": "gone"}'),
        client.say("get_release_summary {}"),
      ]);
      await Promise.all(runs.map(({ runId }) => client.toTheEnd(runId)));
      const answers = await Promise.all(queries.map(async (query) => ({ ...query, samples: await prometheus.query(query.expr) })));
      without = answers.filter(({ samples }) => !samples.some(({ value }) => Number.isFinite(value))).map(({ title }) => title);
      if (without.length === 0) break;
    }
    const readyNow = await prometheus.query('sum by (service_name) (toolbus_ready{job="toolbus"})');
    const up = await prometheus.query("up");
    return {
      readyProcesses: Object.fromEntries(readyNow.map(({ labels, value }) => [labels["service_name"] ?? "", value])),
      down: up.filter(({ value }) => value !== 1).map(({ labels }) => labels["instance"] ?? ""),
      queries: queries.length,
      without,
      faultyRules: (await prometheus.rules()).filter(({ health }) => health === "err").map(({ name }) => name),
    };
  } finally {
    await prometheus.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Whether each pod was read, each query had a figure and no rule had a fault. */
export function areWhole({ readyProcesses, down, queries, without, faultyRules }: MetricsReport): boolean {
  return Object.keys(readyProcesses).length >= 4 && down.length === 0 && queries > 25 && without.length === 0 && faultyRules.length === 0;
}

/** Gives the agent a price of its model and a budget, which two dashboards need, or takes them away. */
async function giveModelPrices(given: boolean): Promise<void> {
  const table = { models: [{ provider: "offline", model: "rules-1", price: { input: 1, output: 2 } }] };
  const metadata = { name: "proof-models" };
  if (given)
    await applied(JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata, data: { "models.json": JSON.stringify(table) } }));
  const removed = given ? {} : { $patch: "delete" };
  const container = {
    name: "service",
    env: [
      { name: "MODEL_TABLE_FILE", ...(given ? { value: "/models/models.json" } : removed) },
      { name: "BUDGET_TENANT_TOKENS_PER_DAY", ...(given ? { value: "100000000" } : removed) },
    ],
    volumeMounts: [{ mountPath: "/models", ...(given ? { name: "proof-models" } : removed) }],
  };
  const volumes = [{ name: "proof-models", ...(given ? { configMap: metadata } : removed) }];
  const patch = { spec: { template: { spec: { containers: [container], volumes } } } };
  await kubectl("patch", "deployment", "agent", "-p", JSON.stringify(patch));
  await ready("deployment/agent");
  if (!given) await kubectl("delete", "configmap", metadata.name, "--ignore-not-found");
}
