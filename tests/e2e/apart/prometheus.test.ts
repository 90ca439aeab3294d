import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { APART, type ApartName, type Apart, startApart } from "@toolbus/all-in-one";
import { freePort, type PrivateServer, startPrivateServer } from "@toolbus/testing/servers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { dashboardQueries, ruleExpressions } from "../../observability/queries.ts";
import { type GatedReleaseApi, gatedReleaseApi } from "../testing/gated-release-api.ts";
import { NO_PROMETHEUS, type Prometheus, startPrometheus } from "../testing/prometheus.ts";
import { scratch } from "../testing/scratch.ts";
import { patientClient } from "./client.ts";

const OBSERVABILITY = path.resolve(import.meta.dirname, "../../../deploy/observability");
const RULES = path.join(OBSERVABILITY, "rules/toolbus.yml");
const RELEASE = "r1";
const PATIENCE = { timeout: 120_000, interval: 500 };
const CASES = NO_PROMETHEUS === null ? "with a real Prometheus" : `with a real Prometheus (skipped: ${NO_PROMETHEUS})`;

describe.skipIf(NO_PROMETHEUS !== null)(`every service in a process of its own, ${CASES}`, () => {
  const files = scratch();
  let servers: readonly PrivateServer[] = [];
  let api: GatedReleaseApi;
  let apart: Apart;
  let prometheus: Prometheus;

  beforeAll(async () => {
    servers = await Promise.all([startPrivateServer("nats"), startPrivateServer("redis")]);
    const [nats, redis] = servers;
    api = await gatedReleaseApi(files.at("api"), [RELEASE]);
    const ports = new Map<ApartName, number>();
    for (const service of APART) ports.set(service, await freePort());
    const prices = { models: [{ provider: "offline", model: "rules-1", price: { input: 1, output: 2 } }] };
    apart = await startApart({
      directory: files.data(),
      busUrl: nats?.url ?? "",
      stateUrl: redis?.url ?? "",
      replicas: 1,
      env: {
        RELEASE_API_URL: api.url,
        LOG_LEVEL: "error",
        MODEL_TABLE_FILE: files.file("models.json", JSON.stringify(prices)),
        BUDGET_TENANT_TOKENS_PER_DAY: "100000000",
      },
      settingsOf: (service) => ({ METRICS_PORT: String(ports.get(service)) }),
      onOutput: () => undefined,
    });
    prometheus = await startPrometheus(files.at("prometheus"), {
      targets: [...ports.values()].map((port) => `127.0.0.1:${port}`),
      rules: RULES,
    });
  });
  afterAll(async () => {
    await prometheus?.stop();
    await apart?.stop();
    await api?.stop();
    await Promise.all(servers.map((server) => server.remove()));
    files.remove();
  });

  it("is read by Prometheus, each process under the name of its service", async () => {
    await expect
      .poll(
        async () =>
          (await prometheus.query('sum by (service_name) (toolbus_ready{job="toolbus"})')).map(({ labels, value }) => [
            labels["service_name"],
            value,
          ]),
        PATIENCE,
      )
      .toEqual(
        expect.arrayContaining([
          ["agent", 1],
          ["approvals", 1],
          ["gateway", 1],
          ["tool-executor", 2],
        ]),
      );
    expect((await prometheus.query("up")).map(({ value }) => value)).toEqual(APART.map(() => 1));
  });

  it("gives every query of every dashboard a figure after some work", async () => {
    const queries = readdirSync(path.join(OBSERVABILITY, "grafana"))
      .filter((name) => name.endsWith(".json"))
      .flatMap((name) => dashboardQueries(readFileSync(path.join(OBSERVABILITY, "grafana", name), "utf8")))
      .map(({ title, expr }) => ({ title, expr: expr.replaceAll("$__rate_interval", "1m") }));
    const client = patientClient(apart);
    const work = async (): Promise<void> => {
      const runs = await Promise.all([
        client.investigate(RELEASE),
        client.say('get_release_summary {"release_id": "gone"}'),
        client.say("get_release_summary {}"),
      ]);
      await Promise.all(runs.map(({ runId }) => client.toTheEnd(runId)));
    };
    const without = async (): Promise<readonly string[]> => {
      await work();
      const answers = await Promise.all(
        queries.map(async ({ title, expr }) => ({ about: `${title}: ${expr}`, samples: await prometheus.query(expr) })),
      );
      return answers.filter(({ samples }) => !samples.some(({ value }) => Number.isFinite(value))).map(({ about }) => about);
    };
    await expect.poll(without, PATIENCE).toEqual([]);
    expect(queries.length).toBeGreaterThan(25);
    const [wrong] = await prometheus.query('sum(toolbus_tool_calls_total{status="validation_error"})');
    expect(wrong?.value).toBeGreaterThan(0);
  });

  it("evaluates every rule without a fault", async () => {
    const rules = ruleExpressions(readFileSync(RULES, "utf8"));
    const names = rules.map(({ alert, record }) => alert ?? record ?? "");
    const sound = async () =>
      (await prometheus.rules())
        .filter(({ health }) => health === "ok")
        .map(({ name }) => name)
        .toSorted();
    await expect.poll(sound, PATIENCE).toEqual(names.toSorted());
    for (const { expr } of rules) await prometheus.query(expr);
    // Some of the calls above failed in the same way from the beginning, which is no change, and nothing is down.
    const firing = (await prometheus.query('ALERTS{alertstate="firing", severity="critical"}')).map(({ labels }) => labels["alertname"]);
    expect(firing).toEqual([]);
  });
});
