import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { text } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { silentLog } from "../logger.ts";
import { measure, metricsAreOn, observeGauge } from "../measurements.ts";
import { type Metric, metricNames, prometheusName } from "../names.ts";
import { startTelemetry } from "../start-telemetry.ts";

describe("the page of metrics", () => {
  it("has every metric of ours under its Prometheus name, with its kind, and the service's name on every series", async () => {
    await using page = await setup();
    const metrics: readonly Metric[] = Object.values(metricNames);
    for (const metric of metrics) {
      if (metric.kind === "gauge") observeGauge(metric, async () => 1);
      else measure(metric, 1, { tool_name: "look" });
    }
    const { status, type, text } = await page.get("/metrics");
    expect([status, type]).toEqual([200, "text/plain; version=0.0.4; charset=utf-8"]);
    const kinds = new Map([...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name, kind]) => [name, kind]));
    const expected = metrics.map((metric) => [prometheusName(metric), metric.kind === "upDownCounter" ? "gauge" : metric.kind]);
    expect(metrics.map((metric) => [prometheusName(metric), kinds.get(prometheusName(metric))])).toEqual(expected);
    const series = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
    expect(series.filter((line) => !line.includes('service_name="toolbus"'))).toEqual([]);
    expect(text).toContain('toolbus_tool_calls_total{tool_name="look",service_name="toolbus"} 1');
    expect(text).toContain('toolbus_run_rounds_bucket{tool_name="look",service_name="toolbus",le="1"} 1');
  });

  it("leaves out a gauge that fails or never answers, and still has the others", async () => {
    await using page = await setup();
    observeGauge(metricNames.approvalsPending, () => new Promise(() => undefined));
    observeGauge(metricNames.approvalsOldest, () => Promise.reject(new Error("away")));
    observeGauge(metricNames.ready, async () => 1);
    const { status, text } = await page.get("/metrics");
    expect(status).toBe(200);
    expect(text).toContain('toolbus_ready{service_name="toolbus"} 1');
    expect(text).not.toMatch(/^toolbus_approvals_/m);
  });

  it("reads a gauge once for all requests that arrive together", async () => {
    await using page = await setup();
    let reads = 0;
    const answer = Promise.withResolvers<number>();
    observeGauge(metricNames.ready, () => {
      reads++;
      return answer.promise;
    });
    // All requests are in one packet, so all of them have arrived when the gauge is read.
    const answers = page.pipelined(5);
    await expect.poll(() => reads).toBe(1);
    answer.resolve(1);
    expect((await answers).match(/HTTP\/1\.1 200 OK/g)).toHaveLength(5);
    expect(reads).toBe(1);
  });

  it("is the only page, and only reads", async () => {
    await using page = await setup();
    expect(await page.get("/")).toMatchObject({ status: 404, text: "Only /metrics is served here.\n" });
    expect(await page.get("/metrics", "POST")).toMatchObject({ status: 405, text: "/metrics answers only GET.\n" });
    expect(await page.get("/metrics?x=1", "HEAD")).toMatchObject({ status: 200, text: "" });
  });

  it("ends with telemetry, and the same port can be used again", async () => {
    const page = await setup();
    await page.end();
    await expect(page.get("/metrics")).rejects.toThrow("fetch failed");
    const again = await setup(page.port);
    expect((await again.get("/metrics")).status).toBe(200);
    await again.end();
  });

  it("that cannot be served is refused in a sentence, and leaves telemetry off", async () => {
    await using taken = await setup();
    const port = taken.port;
    await taken.end();
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
    await expect(setup(port)).rejects.toThrow(
      `Port ${port} on 127.0.0.1 is taken by another process, so /metrics cannot be served: stop that process, or choose another port with METRICS_PORT.`,
    );
    await new Promise((resolve) => server.close(resolve));
    await expect(setup(port, { METRICS_HOST: "192.0.2.1" })).rejects.toThrow(
      "192.0.2.1 is not an address of this machine: set METRICS_HOST to one that is.",
    );
    expect(metricsAreOn()).toBe(false);
    await using after = await setup(port);
    expect((await after.get("/metrics")).status).toBe(200);
  });
});

/** Starts telemetry with a page on a free port. */
async function setup(port?: number, env: Readonly<Record<string, string>> = {}) {
  const number = port ?? (await freePort());
  const telemetry = await startTelemetry({
    env: { METRICS_PORT: String(number), ...env },
    serviceName: "toolbus",
    log: silentLog,
    newKey: () => "k".repeat(43),
    monotonic: () => performance.now(),
  });
  return {
    port: number,
    async get(path: string, method = "GET") {
      const response = await fetch(`http://127.0.0.1:${number}${path}`, { method });
      return { status: response.status, type: response.headers.get("content-type"), text: await response.text() };
    },
    /** Sends requests for the metrics at once over one connection, and returns all answers as text. */
    async pipelined(times: number): Promise<string> {
      const socket = connect(number, "127.0.0.1");
      const requests = Array.from(
        { length: times },
        (_, n) => `GET /metrics HTTP/1.1\r\nhost: x\r\n${n === times - 1 ? "connection: close\r\n" : ""}\r\n`,
      );
      socket.write(requests.join(""));
      return text(socket);
    },
    end: () => telemetry.shutdown(1000),
    [Symbol.asyncDispose]: () => telemetry.shutdown(1000),
  };
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
