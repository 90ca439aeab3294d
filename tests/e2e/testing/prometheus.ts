import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { freePort } from "@toolbus/testing/servers";

/** A real Prometheus on a port of its own, which reads processes every second. */
export interface Prometheus {
  /** Evaluates a query now. Throws with Prometheus's own message if it does not accept the query. */
  query(expr: string): Promise<readonly Sample[]>;
  /** Returns every loaded rule with its state: `ok`, `err` or `unknown` before its first evaluation. */
  rules(): Promise<readonly { readonly name: string; readonly health: string; readonly lastError?: string }[]>;
  stop(): Promise<void>;
}

export interface Sample {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** Why there is no Prometheus on this machine, or null if there is one. */
export const NO_PROMETHEUS = spawnSync("prometheus", ["--version"]).status === 0 ? null : "prometheus is not installed";

export async function startPrometheus(
  folder: string,
  { targets, rules }: { readonly targets: readonly string[]; readonly rules: string },
): Promise<Prometheus> {
  const port = await freePort();
  const config = {
    global: { scrape_interval: "1s", scrape_timeout: "1s", evaluation_interval: "1s" },
    rule_files: [rules],
    scrape_configs: [{ job_name: "toolbus", static_configs: [{ targets }] }],
  };
  mkdirSync(folder, { recursive: true });
  // JSON is YAML too.
  writeFileSync(path.join(folder, "prometheus.yml"), JSON.stringify(config));
  const child = spawn(
    "prometheus",
    [
      `--config.file=${path.join(folder, "prometheus.yml")}`,
      `--storage.tsdb.path=${path.join(folder, "data")}`,
      `--web.listen-address=127.0.0.1:${port}`,
    ],
    { stdio: ["ignore", "ignore", "pipe"] },
  );
  let said = "";
  child.stderr.on("data", (chunk: Buffer) => (said = (said + String(chunk)).slice(-4000)));
  const url = `http://127.0.0.1:${port}`;
  await ready(url, child, () => said);
  return {
    async query(expr) {
      const { result } = await ask<{
        readonly result: readonly { readonly metric: Sample["labels"]; readonly value: readonly [number, string] }[];
      }>(`${url}/api/v1/query`, new URLSearchParams({ query: expr }));
      return result.map(({ metric, value: [, value] }) => ({ labels: metric, value: Number(value) }));
    },
    async rules() {
      const { groups } = await ask<{ readonly groups: readonly { readonly rules: Awaited<ReturnType<Prometheus["rules"]>> }[] }>(
        `${url}/api/v1/rules`,
      );
      return groups.flatMap((group) => group.rules);
    },
    async stop() {
      const ended = child.exitCode === null ? once(child, "exit") : null;
      child.kill("SIGTERM");
      await ended;
    },
  };
}

async function ask<T>(url: string, body?: URLSearchParams): Promise<T> {
  const response = await fetch(url, { ...(body ? { method: "POST", body } : {}), signal: AbortSignal.timeout(10_000) });
  const answer = (await response.json()) as { readonly status: string; readonly error?: string; readonly data: T };
  if (answer.status !== "success") throw new Error(`Prometheus answered: ${answer.error} (${body?.get("query")})`);
  return answer.data;
}

async function ready(url: string, child: ChildProcess, said: () => string): Promise<void> {
  for (let tries = 0; tries < 300; tries++) {
    if (child.exitCode !== null) throw new Error(`Prometheus ended: ${said()}`);
    const response = await fetch(`${url}/-/ready`, { signal: AbortSignal.timeout(2000) }).catch(() => null);
    if (response?.ok) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    setTimeout(resolve, 100);
    await promise;
  }
  child.kill("SIGKILL");
  throw new Error(`Prometheus did not get ready: ${said()}`);
}
