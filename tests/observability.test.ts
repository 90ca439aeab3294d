import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { type Metric, metricNames, prometheusName } from "@toolbus/telemetry";
import { describe, expect, it } from "vitest";
import { dashboardQueries, parseYaml, ruleExpressions, seriesIn } from "./observability/queries.ts";

const root = path.dirname(import.meta.dirname);
const folder = path.join(root, "deploy/observability");
const read = (file: string): string => readFileSync(path.join(folder, file), "utf8");
const rules = ruleExpressions(read("rules/toolbus.yml"));
const alerts = rules.flatMap(({ alert }) => alert ?? []);
const promtool = spawnSync("promtool", ["--version"]).status === 0;

interface Container {
  readonly profiles?: readonly string[];
  readonly volumes?: readonly string[];
  readonly ports?: readonly string[];
  readonly command?: readonly string[];
}

interface ScrapeConfig {
  readonly job_name: string;
  readonly dns_sd_configs?: readonly { readonly names: readonly string[]; readonly port: number }[];
}

interface RuleTest {
  readonly name: string;
  readonly alert_rule_test: readonly { readonly alertname: string; readonly exp_alerts: readonly unknown[] }[];
}

describe("the alerts", () => {
  it.each(alerts)("have a case that fires and a quiet one: %s", (alert) => {
    const { tests } = parseYaml(read("rules/toolbus_test.yml")) as { readonly tests: readonly RuleTest[] };
    const cases = tests.flatMap((one) => one.alert_rule_test).filter(({ alertname }) => alertname === alert);
    expect(cases.some(({ exp_alerts }) => exp_alerts.length > 0)).toBe(true);
    expect(cases.some(({ exp_alerts }) => exp_alerts.length === 0)).toBe(true);
  });

  it.each(alerts)("have a section of the runbook with symptom, meaning, first command and remedy: %s", (alert) => {
    const runbook = readFileSync(path.join(root, "docs/runbook.md"), "utf8");
    const section = runbook.split(/^## /m).find((text) => text.startsWith(`${alert}\n`)) ?? "";
    expect([...section.matchAll(/^- \*\*(.+?):\*\*/gm)].map(([, label]) => label)).toEqual([
      "Symptom",
      "Meaning",
      "First command",
      "Remedy",
    ]);
    expect(rules.find((rule) => rule.alert === alert)?.runbook).toBe(`docs/runbook.md#${alert.toLowerCase()}`);
  });

  it("of a jump in refused arguments say to roll back the registry and not the model, and of time-outs to look at the dependency", () => {
    const runbook = readFileSync(path.join(root, "docs/runbook.md"), "utf8");
    const section = (alert: string) => runbook.split(/^## /m).find((text) => text.startsWith(`${alert}\n`)) ?? "";
    expect(section("ToolbusWrongCalls")).toContain("**Roll back the version of the registry, not the model.**");
    expect(section("ToolbusToolTimeouts")).toContain("Look at the dependency first");
  });

  it.skipIf(!promtool)("are accepted by promtool, and fire and stay quiet in each case (skipped without promtool)", () => {
    const file = (name: string) => path.join(folder, "rules", name);
    const checked = spawnSync("promtool", ["check", "rules", file("toolbus.yml")], { encoding: "utf8" });
    expect([checked.status, checked.stderr]).toEqual([0, ""]);
    const tested = spawnSync("promtool", ["test", "rules", file("toolbus_test.yml")], { encoding: "utf8" });
    expect([tested.status, tested.stderr]).toEqual([0, ""]);
  });
});

describe("the queries of rules and dashboards", () => {
  const known = new Set(["up", ...rules.flatMap(({ record }) => record ?? []), ...Object.values<Metric>(metricNames).flatMap(namesOf)]);
  const queries = [
    ...rules.map(({ alert, record, expr }) => [alert ?? record ?? "", expr] as const),
    ...dashboards().flatMap((file) =>
      dashboardQueries(read(`grafana/${file}`)).map(({ title, expr }) => [`${file}: ${title}`, expr] as const),
    ),
  ];

  it("are about metrics that the services have", () => {
    const unknown = queries.flatMap(([where, expr]) =>
      seriesIn(expr)
        .filter((name) => !known.has(name))
        .map((name) => `${where}: ${name}`),
    );
    expect(unknown).toEqual([]);
    expect(queries.length).toBeGreaterThan(40);
  });

  it("find the names in an expression, and no functions, labels or words", () => {
    const expr =
      'histogram_quantile(0.9, sum by (le, tool_name) (rate(toolbus_a_bucket{status=~"ok|toolbus_b"}[5m]))) > 3 * up or toolbus:c:d offset 1h';
    expect(seriesIn(expr)).toEqual(["toolbus_a_bucket", "up", "toolbus:c:d"]);
  });
});

describe("the profile observe of docker-compose.yml", () => {
  it("mounts files that exist, on loopback only, with every dashboard and every service that Prometheus reads", () => {
    const { services } = parseYaml(readFileSync(path.join(root, "docker-compose.yml"), "utf8")) as {
      readonly services: Record<string, Container>;
    };
    const observing = Object.values(services).filter(({ profiles }) => profiles?.includes("observe"));
    const mounted = observing.flatMap(({ volumes }) => volumes ?? []).filter((volume) => volume.startsWith("./"));
    expect(mounted.filter((volume) => !existsSync(path.join(root, volume.split(":")[0] ?? "")))).toEqual([]);
    for (const file of dashboards()) expect(mounted.filter((volume) => volume.includes(`/${file}:`))).toHaveLength(1);
    expect(observing.flatMap(({ ports }) => ports ?? []).filter((port) => !port.startsWith("127.0.0.1:"))).toEqual([]);
    const ours = Object.keys(services).filter((name) => services[name]?.command?.some((word) => /^services\/.*main\.ts$/.test(word)));
    const { scrape_configs } = parseYaml(read("prometheus.yml")) as { readonly scrape_configs: readonly ScrapeConfig[] };
    const toolbus = scrape_configs.find(({ job_name }) => job_name === "toolbus")?.dns_sd_configs?.[0];
    expect([toolbus?.names.toSorted(), toolbus?.port]).toEqual([ours.toSorted(), 9464]);
    expect(readFileSync(path.join(root, "Dockerfile"), "utf8")).toMatch(/^ENV .*METRICS_PORT=9464/m);
  });
});

describe("a dashboard", () => {
  it.each(dashboards())("has a title for each panel, ids that differ, and reads the data source that the person chose: %s", (file) => {
    const { uid, panels } = JSON.parse(read(`grafana/${file}`)) as {
      readonly uid: string;
      readonly panels: readonly { readonly id: number; readonly title: string; readonly datasource: { readonly uid: string } }[];
    };
    expect(`${uid}.json`).toBe(file);
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    expect(panels.filter(({ title, datasource }) => title === "" || datasource.uid !== "${datasource}")).toEqual([]);
  });
});

function dashboards(): readonly string[] {
  return readdirSync(path.join(folder, "grafana")).filter((name) => name.endsWith(".json"));
}

function namesOf(metric: Metric): readonly string[] {
  const name = prometheusName(metric);
  return metric.kind === "histogram" ? ["bucket", "sum", "count"].map((end) => `${name}_${end}`) : [name];
}
