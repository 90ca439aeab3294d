import { type PrivateServer, startPrivateServer } from "@toolbus/testing/servers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type OtlpReceiver, otlpReceiver, type ReceivedSpan } from "../testing/otlp-receiver.ts";
import { patientClient } from "./client.ts";
import { startApartSystem } from "./system.ts";

const RELEASE = "r1";
const AMQPLIB = "@opentelemetry/instrumentation-amqplib";
/** The numbers of span kinds in OTLP. */
const KIND = { client: 3, producer: 4, consumer: 5 } as const;
// With these long times, no service of a slow machine sends a message again, so each message is in the trace once.
const CALM = {
  REDISPATCH_MS: "60000",
  WAKE_REPEAT_MS: "60000",
  OUTBOX_VISIBILITY_MS: "60000",
  RUN_LEASE_MS: "60000",
  LEDGER_LEASE_MS: "60000",
};

describe.each(["rabbitmq", "nats"] as const)("an investigation with every service in a process of its own, on %s and Redis", (kind) => {
  let servers: readonly PrivateServer[];
  let receiver: OtlpReceiver;
  /** All spans of the one trace of the run. */
  let trace: readonly ReceivedSpan[];
  let spans: readonly ReceivedSpan[];
  beforeAll(async () => {
    [servers, receiver] = await Promise.all([Promise.all([startPrivateServer(kind), startPrivateServer("redis")]), otlpReceiver()]);
    const [broker, redis] = servers;
    const system = await startApartSystem({
      ...(broker && redis ? { busUrl: broker.url, stateUrl: redis.url } : {}),
      replicas: 1,
      releases: [RELEASE],
      env: { ...CALM, OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url, OTEL_EXPORTER_OTLP_PROTOCOL: "http/json" },
    });
    let runId: string;
    try {
      const client = patientClient(system.apart);
      ({ runId } = await client.investigate(RELEASE));
      await client.toTheEnd(runId);
    } finally {
      // On SIGTERM, each process sends the telemetry that it has not sent yet.
      await system.stop();
    }
    spans = receiver.spans();
    const traceId = spans.find(({ attributes }) => attributes["toolbus.run.id"] === runId)?.traceId;
    trace = spans.filter((span) => span.traceId === traceId);
  });
  afterAll(async () => {
    await receiver?.stop();
    await Promise.all((servers ?? []).map((server) => server.remove()));
  });

  it("is one trace of four processes, from the HTTP request to the worker and back, with the parents that caused each", () => {
    const processes = new Map(trace.map(({ service, instance }) => [instance, service]));
    expect([...processes.values()].toSorted()).toEqual(["agent", "approvals", "gateway", "tool-executor"]);
    const root = "gateway: POST /v1/investigations";
    expect(trace.filter(({ parentSpanId }) => parentSpanId === "").map(reported)).toEqual([root]);
    const conversation = "gateway: conversation";
    const step = ["agent: invoke_agent default", conversation, root];
    const call = ["agent: publish tool.invoke.release"];
    const request = ["approvals: process approval.request", "agent: publish approval.request"];
    const chains = {
      "gateway: conversation": [root],
      "gateway: publish run.wake": [conversation, root],
      "agent: invoke_agent default": [conversation, root],
      "tool-executor: execute_tool get_release_summary": [...call, ...step],
      "approvals: publish approval.held.default": [...request, ...step],
      "agent: process approval.held.default": ["approvals: publish approval.held.default", ...request, ...step],
      "tool-executor: execute_tool file_risk_report": call,
    };
    const found = Object.entries(chains).map(([name, chain]) => [name, above(name, chain.length)]);
    expect(Object.fromEntries(found)).toEqual(
      Object.fromEntries(Object.entries(chains).map(([name, chain]) => [name, [chain.join(" < ")]])),
    );
    // The answers come back to the agent beneath the spans of their calls.
    for (const tool of ["get_release_summary", "file_risk_report"])
      expect(above("agent: process tool.result.default", 2)).toContain([`tool-executor: execute_tool ${tool}`, ...call].join(" < "));
    // The agent also wakes itself.
    expect(above("agent: process run.wake", 2)).toContain(`gateway: publish run.wake < ${conversation}`);
  });

  it("has every span below one that its process sent before it ended, or at the root", () => {
    const known = new Set(spans.map(({ spanId }) => spanId));
    expect(spans.filter(({ parentSpanId }) => parentSpanId !== "" && !known.has(parentSpanId)).map(reported)).toEqual([]);
  });

  it("has one producer and one consumer span of ours for each message, except that an answer is sent by its call's own span, and below each publish the client's work", () => {
    for (const each of [KIND.producer, KIND.consumer]) {
      const ours = trace.filter((span) => span.kind === each);
      const messages = ours.map(
        ({ attributes }) => `${String(attributes["messaging.message.id"])} ${String(attributes["messaging.destination.name"])}`,
      );
      expect(messages).toEqual([...new Set(messages)]);
      expect(new Set(ours.map(({ scope }) => scope))).toEqual(new Set(["toolbus"]));
    }
    const published = trace.filter((span) => span.kind === KIND.producer || span.name.startsWith("execute_tool"));
    const byClient = trace.filter((span) => span.scope === AMQPLIB);
    const expected = kind === "rabbitmq" ? published.map(({ spanId }) => spanId) : [];
    expect(byClient.map(({ parentSpanId }) => parentSpanId).toSorted()).toEqual(expected.toSorted());
    for (const span of byClient) {
      const publish = published.find(({ spanId }) => spanId === span.parentSpanId);
      expect(span).toMatchObject({ kind: KIND.client, instance: publish?.instance, failed: false });
      expect(span.attributes).toMatchObject({
        "toolbus.service": publish?.attributes["toolbus.service"],
        "messaging.system": "rabbitmq",
        "messaging.operation.name": "send",
        "messaging.destination.name": expect.stringMatching(/^toolbus\./),
        "server.address": "127.0.0.1",
      });
    }
  });

  /** Returns the distinct chains of ancestors of the spans with this name. A chain has at most `height` ancestors. */
  function above(name: string, height: number): readonly string[] {
    return [...new Set(trace.filter((span) => reported(span) === name).map((span) => ancestors(span).slice(0, height).join(" < ")))];
  }

  /** Returns the ancestors of a span, from its parent up. */
  function ancestors(span: ReceivedSpan): readonly string[] {
    const parent = trace.find(({ spanId }) => spanId === span.parentSpanId);
    return parent ? [reported(parent), ...ancestors(parent)] : [];
  }
});

function reported({ service, name }: ReceivedSpan): string {
  return `${service}: ${name}`;
}
