import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { failedResult } from "@toolbus/contracts";
import { modelFacts, type ModelProvider, type ModelReply, RateLimitError } from "@toolbus/models";
import { type Log, silentLog, startTelemetry } from "@toolbus/telemetry";
import { describe, expect, it, vi } from "vitest";
import { acquire } from "./transitions/acquire.ts";
import { failRun, limitReached } from "./transitions/end.ts";
import { retryLater } from "./transitions/model-retry.ts";
import { memoryStore } from "@toolbus/state";
import { askedBy, budgetsOf, callOf, EVENING, RUN_A, stepOf } from "./testing/budgets-under-test.ts";
import { asks, type Bundle, bundle, CONVERSATION, RUN } from "./testing/test-bundle.ts";
import { commitTurn } from "./transitions/turn.ts";
import type { Turn } from "./transitions/turn-input.ts";
import { observeRun } from "./observe-run.ts";
import { tracedModel } from "./traced-model.ts";

const usage = { inputTokens: 1000, outputTokens: 50, cacheReadTokens: 600, cacheWriteTokens: 300, reasoningTokens: 30 };
const REPLY: ModelReply = { text: "Fine.", calls: [], stop: "end_turn", usage, model: "claude-sonnet-5-5-20260929" };
const SECOND = "rn_03_01JD0000000000000000000002";
const OF = { "gen_ai.provider.name": "anthropic", "gen_ai.request.model": "claude-sonnet-5-5", "toolbus.profile": "p" };

describe("the measurements of a model call", () => {
  it("count every token in one class, and the cost in dollars, by provider, model and profile", async () => {
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

  it("include the share of the model's window that it used", async () => {
    const { metrics } = await measured(() => asked(async () => REPLY));
    const { contextTokens } = modelFacts("anthropic", "claude-sonnet-5-5");
    expect(metrics["toolbus.context.use"]).toEqual([{ value: 1050 / contextTokens, tags: expect.objectContaining(OF) as object }]);
  });

  it("say that the cost is unknown, if it is", async () => {
    const { metrics } = await measured(() => asked(async () => ({ ...REPLY, model: "claude-of-tomorrow" }), "claude-of-tomorrow"));
    expect(metrics["toolbus.model.unpriced"]).toMatchObject([{ value: 1, tags: { "gen_ai.request.model": "claude-of-tomorrow" } }]);
    expect(metrics).not.toHaveProperty("toolbus.model.cost");
  });

  it("count each failure by provider and type", async () => {
    const { metrics } = await measured(async () => {
      for (let n = 0; n < 2; n++) await asked(() => Promise.reject(new RateLimitError("later", null)));
    });
    expect(metrics["toolbus.model.errors"]).toMatchObject([
      { value: 2, tags: { "gen_ai.provider.name": "anthropic", "error.type": "rate_limited" } },
    ]);
  });
});

describe("the measurements of a budget", () => {
  it("are the share that is used when a step has settled, by whose budget and of what", async () => {
    const { metrics } = await measured(async () => {
      const store = memoryStore({ clock: () => EVENING });
      await askedBy(store, RUN_A, "ada");
      const budgets = budgetsOf(store, { env: { BUDGET_RUN_TOKENS: "1000", BUDGET_PRINCIPAL_TOKENS_PER_DAY: "10000" } });
      const reservation = await budgets.reserve(stepOf(RUN_A), callOf(300, 400), new AbortController().signal);
      if (reservation.kind === "refused") throw new Error(reservation.message);
      await budgets.settle(reservation, { usage: { inputTokens: 900, outputTokens: 20 }, toolCalls: 0 });
      await store.close();
    });
    expect(metrics["toolbus.budget.use"]).toEqual([
      { value: 0.92, tags: { "toolbus.budget.of": "run", "toolbus.budget.what": "tokens" } },
      { value: 0.092, tags: { "toolbus.budget.of": "principal", "toolbus.budget.what": "tokens" } },
    ]);
  });
});

describe("the measurements of a run", () => {
  it("that ends is what it has cost, by profile and how it ended, and that it has ended so", async () => {
    const { metrics } = await measuredRuns(async (b) => {
      await b.start();
      await step(b, [asks("look")], 1500);
      await b.answer(0);
      await step(b, [], 1000);
      await b.start({ runId: SECOND, entryId: SECOND });
      await step(b, [asks("look")], 700, SECOND);
      await b.commit(failRun(await b.snapshot(SECOND), { code: "time_limit", message: "It took too long." }, b.rules));
    });
    // The cost per successful task is the cost of the runs divided by the number of completed runs.
    expect(metrics["toolbus.run.cost"]).toMatchObject([
      { value: 0.0025, tags: { "toolbus.profile": "test", "toolbus.status": "completed" } },
      { value: 0.0007, tags: { "toolbus.profile": "test", "toolbus.status": "failed" } },
    ]);
    expect(metrics["toolbus.run.rounds"]).toEqual([
      { value: 2, tags: { "toolbus.profile": "test", "toolbus.status": "completed" } },
      { value: 1, tags: { "toolbus.profile": "test", "toolbus.status": "failed" } },
    ]);
    expect(metrics["toolbus.runs.ended"]).toMatchObject([
      { value: 1, tags: { "toolbus.status": "completed" } },
      { value: 1, tags: { "toolbus.status": "failed", "error.type": "time_limit" } },
    ]);
  });

  it("that went round in circles is that, and a warning tells the operator which one and why", async () => {
    const { metrics, warnings } = await measuredRuns(async (b) => {
      await b.start();
      for (let n = 0; n < 3; n++) {
        await step(b, [asks("look", `r${n}`, { n: 7 })]);
        await b.answer(0, failedResult("unavailable", "down"));
      }
      const stopped = limitReached(await b.snapshot(), b.rules);
      if (!stopped) throw new Error("It was not stopped.");
      await b.commit(failRun(await b.snapshot(), stopped, b.rules));
    });
    expect(metrics["toolbus.runs.ended"]).toMatchObject([{ value: 1, tags: { "toolbus.status": "failed", "error.type": "loop" } }]);
    const why = "The model asked for the same calls 3 times in a row.";
    expect(warnings).toEqual([
      [{ runId: RUN, conversationId: CONVERSATION, profile: "test", round: 4, why }, "a run went round in circles and was stopped"],
    ]);
  });

  it("whose model call is postponed count one retry, by provider and error", async () => {
    const { metrics, warnings } = await measuredRuns(async (b) => {
      await b.start();
      for (let n = 1; n <= 2; n++) {
        const epoch = await acquired(b);
        const failure = { code: "rate_limited", message: "Later.", retryable: true, retryAfterMs: null };
        await b.commit(retryLater(await b.snapshot(), { epoch, failure, plan: { kind: "again", attempt: n, waitMs: 5 } }, b.rules));
        b.advance(5);
      }
    });
    expect(metrics["toolbus.model.retries"]).toEqual([
      { value: 2, tags: { "gen_ai.provider.name": "anthropic", "error.type": "rate_limited" } },
    ]);
    expect(warnings).toEqual([]);
  });
});

/** Acquires the run for a step and returns its epoch. */
async function acquired(b: Bundle, runId = RUN): Promise<number> {
  const got = acquire(await b.snapshot(runId), { by: "wake", redelivered: false }, b.rules);
  if (got.kind !== "acquired") throw new Error(got.kind);
  await b.commit(got.change);
  return got.run.epoch;
}

/** Commits a turn of the model with these calls, at this cost. */
async function step(b: Bundle, calls: Turn["calls"], costMicroUsd = 0, runId = RUN): Promise<void> {
  const epoch = await acquired(b, runId);
  const used = { inputTokens: 1, outputTokens: 1, ...(costMicroUsd === 0 ? {} : { costMicroUsd }) };
  const turn: Turn = { provider: "anthropic", model: "m", text: "Done.", calls, seed: false, truncated: false, usage: used };
  await b.commit(commitTurn({ snapshot: await b.snapshot(runId), epoch, turn, tools: b.tools }, b.rules));
}

/** Runs a scenario and observes every commit of its runs. Returns the measurements and the warnings. */
async function measuredRuns(scenario: (b: Bundle) => Promise<void>) {
  const warnings: [object, string][] = [];
  const log: Log = { ...silentLog, warn: (fields, message) => void warnings.push([fields, message]) };
  const { metrics } = await measured(async () => {
    const b = bundle();
    const commits = vi.spyOn(b.state, "commit");
    await scenario(b);
    for (const [index, [, change]] of commits.mock.calls.entries()) {
      const reply = await commits.mock.results[index]?.value;
      if (reply?.outcome === "ok") observeRun(change, reply.now, { provider: () => "anthropic", log });
    }
  });
  return { metrics, warnings };
}

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

/** Runs `work` with a collector that listens. Returns what the collector received: sums, and the sums of histograms. */
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
