import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { modelFacts, type ModelProvider, type ModelReply, RateLimitError } from "@toolbus/models";
import { silentLog, startTelemetry } from "@toolbus/telemetry";
import { describe, expect, it } from "vitest";
import { asks, bundle } from "./loop/test-bundle.ts";
import { observeRun } from "./observe-run.ts";
import { tracedModel } from "./traced-model.ts";

const usage = { inputTokens: 1000, outputTokens: 50, cacheReadTokens: 600, cacheWriteTokens: 300, reasoningTokens: 30 };
const REPLY: ModelReply = { text: "Fine.", calls: [], stop: "end_turn", usage, model: "claude-sonnet-5-5-20260929" };
const OF = { "gen_ai.provider.name": "anthropic", "gen_ai.request.model": "claude-sonnet-5-5", "toolbus.profile": "p" };

describe("what is measured of a model call", () => {
  it("is every token in one class, and what it cost in dollars, by provider, model and profile", async () => {
    const { metrics } = await measured(() => asked(async () => REPLY));
    const tokens = metrics["toolbus.model.tokens"] ?? [];
    expect(Object.fromEntries(tokens.map(({ value, tags }) => [String(tags["gen_ai.token.type"]), value]))).toEqual({
      input: 100,
      cache_read: 600,
      cache_write: 300,
      output: 20,
      reasoning: 30,
    });
    for (const { tags } of tokens) expect(tags).toMatchObject({ ...OF, "gen_ai.response.model": "claude-sonnet-5-5-20260929" });
    expect(metrics["toolbus.model.cost"]).toEqual([{ value: 0.00151, tags: expect.objectContaining(OF) as object }]);
    expect(metrics["gen_ai.client.token.usage"]?.map(({ value, tags }) => [tags["gen_ai.token.type"], value])).toEqual([
      ["input", 1000],
      ["output", 50],
    ]);
    expect(metrics).not.toHaveProperty("toolbus.model.unpriced");
  });

  it("is that nobody knows what it cost, where nobody does", async () => {
    const { metrics } = await measured(() => asked(async () => ({ ...REPLY, model: "claude-of-tomorrow" }), "claude-of-tomorrow"));
    expect(metrics["toolbus.model.unpriced"]).toMatchObject([{ value: 1, tags: { "gen_ai.request.model": "claude-of-tomorrow" } }]);
    expect(metrics).not.toHaveProperty("toolbus.model.cost");
  });

  it("is each failure by provider and type", async () => {
    const { metrics } = await measured(async () => {
      for (let n = 0; n < 2; n++) await asked(() => Promise.reject(new RateLimitError("later", null)));
    });
    expect(metrics["toolbus.model.errors"]).toMatchObject([
      { value: 2, tags: { "gen_ai.provider.name": "anthropic", "error.type": "rate_limited" } },
    ]);
  });
});

describe("what is measured of a run that ends", () => {
  it("is what it has cost, by profile and how it ended", async () => {
    const { metrics } = await measured(async () => {
      const b = bundle();
      await b.start();
      await b.turn([asks("look")]);
      await b.answer(0);
      const run = (await b.snapshot()).run.value;
      const ended = { type: "run.completed", at: 1, text: "", truncated: false, report: null, usage: { ...run.usage, costMicroUsd: 2500 } };
      const change = {
        op: "end",
        guards: [],
        put: [{ key: "tb:run:{03}:x", value: run }],
        append: [{ log: "tb:events:{03}:x", entries: [ended] }],
      };
      observeRun(change as unknown as Parameters<typeof observeRun>[0], 1, { provider: () => "anthropic", log: silentLog });
    });
    expect(metrics["toolbus.run.cost"]).toMatchObject([
      { value: 0.0025, tags: { "toolbus.profile": "test", "toolbus.status": "completed" } },
    ]);
  });
});

async function asked(complete: ModelProvider["complete"], name = "claude-sonnet-5-5"): Promise<void> {
  const { contextTokens, maxOutputTokens, vision, sampling, resultChars } = modelFacts("anthropic", name);
  const capabilities = { tools: true, streaming: true, contextTokens, maxOutputTokens, vision, sampling, resultChars };
  const model = tracedModel(
    { name: "anthropic", model: name, dialect: "any", capabilities, complete, estimateTokens: () => 1 },
    { log: silentLog, monotonic: () => 0 },
  );
  const request = { system: "s", transcript: [], tools: [], maxTokens: 900, run: { runId: "r", profile: "p", input: {} } };
  await model.complete(request, { signal: new AbortController().signal, onText: () => undefined }).catch(() => undefined);
}

interface Point {
  readonly value: number;
  readonly tags: Readonly<Record<string, unknown>>;
}

/** Does it with a collector that listens, and gives what that was sent: sums, and the sums of histograms. */
async function measured(work: () => Promise<unknown>): Promise<{ metrics: Readonly<Record<string, readonly Point[]>> }> {
  const bodies: unknown[] = [];
  const server = createServer((request, response) => {
    void (async () => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      bodies.push(JSON.parse(Buffer.concat(chunks).toString()));
      response.writeHead(200, { "content-type": "application/json" }).end("{}");
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    const telemetry = await startTelemetry({
      env: {
        OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/metrics`,
        OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
      },
      serviceName: "agent",
      log: silentLog,
      newKey: () => "k".repeat(43),
      monotonic: () => performance.now(),
    });
    try {
      await work();
    } finally {
      await telemetry.shutdown(5000);
    }
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
  return { metrics: pointsOf(bodies as readonly Export[]) };
}

interface DataPoint {
  readonly sum?: number;
  readonly asInt?: string | number;
  readonly asDouble?: number;
  readonly attributes: readonly { readonly key: string; readonly value: { readonly stringValue?: string } }[];
}

interface Export {
  readonly resourceMetrics: readonly {
    readonly scopeMetrics: readonly {
      readonly metrics: readonly {
        readonly name: string;
        readonly sum?: { readonly dataPoints: readonly DataPoint[] };
        readonly histogram?: { readonly dataPoints: readonly DataPoint[] };
      }[];
    }[];
  }[];
}

function pointsOf(exports: readonly Export[]): Readonly<Record<string, readonly Point[]>> {
  const last = exports.at(-1)?.resourceMetrics.flatMap(({ scopeMetrics }) => scopeMetrics.flatMap(({ metrics }) => metrics)) ?? [];
  return Object.fromEntries(
    last.map(({ name, sum, histogram }) => [
      name,
      (sum ?? histogram)?.dataPoints.map((point) => ({
        value: Number(point.sum ?? point.asDouble ?? point.asInt),
        tags: Object.fromEntries(point.attributes.map(({ key, value }) => [key, value.stringValue])),
      })) ?? [],
    ]),
  );
}
