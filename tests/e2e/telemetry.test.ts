import { readdirSync, readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { approve, call, follow, heldApproval, startRun } from "./testing/http-client.ts";
import type { ReceivedSpan } from "./testing/otlp-receiver.ts";
import { scratch, type Scratch } from "./testing/scratch.ts";
import { RELEASE, type TracedSystem, tracedSystem } from "./testing/traced-system.ts";

const CLIENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

let files: Scratch;
let traced: TracedSystem;
let runId: string;
let conversationId: string;
let traceOfContext: string | null;
let spans: readonly ReceivedSpan[];

beforeAll(async () => {
  files = scratch();
  traced = await tracedSystem(files.at("data"), {
    TRACE_DIR: files.at("traces"),
    TOOL_AUDIT_FILE: files.at("audit.jsonl"),
    // Gauges are read at intervals, and the last reading happens when the store is closed.
    OTEL_METRIC_EXPORT_INTERVAL: "50",
  });
  const { requester, decider, receiver } = traced;
  runId = await startRun(requester, RELEASE);
  await approve(decider, await heldApproval(requester, runId));
  await follow(requester, runId);
  await followTraced();
  conversationId = await converse();
  traceOfContext = await traceOfConversation();
  await traced.end();
  spans = receiver.spans();
});
afterAll(async () => {
  await traced.stop();
  files.remove();
});

describe("one investigation", () => {
  it("is one trace, from the HTTP request across the bus into the worker and back, with the parents that caused each", () => {
    const trace = traceOf(runId);
    expect(trace.filter(({ parentSpanId }) => parentSpanId === "").map(({ name }) => name)).toEqual(["POST /v1/investigations"]);
    const chains = {
      conversation: ["POST /v1/investigations"],
      "invoke_agent default": ["conversation", "POST /v1/investigations"],
      "chat rules-1": ["invoke_agent default", "conversation"],
      "process run.wake": ["publish run.wake"],
      "execute_tool get_release_summary": ["publish tool.invoke.release", "invoke_agent default", "conversation"],
      "process approval.request": ["publish approval.request", "invoke_agent default", "conversation"],
      "process approval.held.default": ["publish approval.held.default", "process approval.request"],
      "execute_tool get_code_changes": ["publish tool.invoke.release", "invoke_agent default", "conversation"],
      "execute_tool file_risk_report": ["publish tool.invoke.release", "conversation"],
    };
    const found = Object.entries(chains).map(([name, chain]) => {
      const above = trace.filter((span) => span.name === name).map((span) => ancestors(span, trace).slice(0, chain.length).join(" < "));
      return [name, [...new Set(above)]];
    });
    expect(Object.fromEntries(found)).toEqual(
      Object.fromEntries(Object.entries(chains).map(([name, chain]) => [name, [chain.join(" < ")]])),
    );
  });

  it("has three spans for a call: its publish, its work at the worker, and its answer at the agent", () => {
    const trace = traceOf(runId);
    for (const tool of ["get_release_summary", "get_code_changes", "file_risk_report"]) {
      const answers = trace.filter((span) => span.name === "process tool.result.default" && ancestors(span, trace)[0]?.endsWith(tool));
      expect(answers.map((span) => ancestors(span, trace).slice(0, 2))).toEqual([[`execute_tool ${tool}`, "publish tool.invoke.release"]]);
    }
    const ofCalls = trace.filter(({ attributes }) => /^tool\.(?:invoke|result)\./.test(String(attributes["messaging.destination.name"])));
    expect(ofCalls).toHaveLength(9);
  });

  it("has every span below another one that was sent, in every trace", () => {
    const known = new Set(spans.map(({ spanId }) => spanId));
    const orphans = spans.filter(
      ({ parentSpanId }) => parentSpanId !== "" && !known.has(parentSpanId) && parentSpanId !== CLIENT.slice(36, 52),
    );
    expect(orphans.map(({ name }) => name)).toEqual([]);
  });

  it("does not take the approver's request into its trace, but links to it", () => {
    const decision = spans.find(({ name }) => name === "POST /v1/approvals/:id/decision");
    expect(decision?.traceId).not.toBe(traceOf(runId)[0]?.traceId);
    const linked = traceOf(runId).flatMap(({ links }) => links.map(({ traceId }) => traceId));
    expect(linked).toContain(decision?.traceId);
  });

  it.each([
    [
      "POST /v1/investigations",
      2,
      {
        "toolbus.service": "gateway",
        "http.request.method": "POST",
        "http.route": "/v1/investigations",
        "http.response.status_code": 202,
        "url.path": "/v1/investigations",
        "url.scheme": "http",
        "server.address": "127.0.0.1",
        "server.port": expect.any(Number),
      },
    ],
    [
      "conversation",
      1,
      {
        "toolbus.service": "gateway",
        "gen_ai.conversation.id": expect.stringMatching(/^cv_/),
        "toolbus.run.id": expect.stringMatching(/^rn_/),
      },
    ],
    [
      "invoke_agent default",
      1,
      {
        "toolbus.service": "agent",
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.provider.name": "offline",
        "gen_ai.agent.name": "default",
        "gen_ai.conversation.id": expect.stringMatching(/^cv_/),
        "toolbus.run.id": expect.stringMatching(/^rn_/),
        "toolbus.profile": "release-investigation",
        "toolbus.round": 0,
        "toolbus.epoch": 1,
      },
    ],
    [
      "chat rules-1",
      3,
      {
        "toolbus.service": "agent",
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "offline",
        "gen_ai.request.model": expect.any(String),
        "gen_ai.request.max_tokens": expect.any(Number),
        "gen_ai.response.model": expect.any(String),
        "gen_ai.response.finish_reasons": ["tool_use"],
        "gen_ai.usage.input_tokens": expect.any(Number),
        "gen_ai.usage.output_tokens": expect.any(Number),
        "gen_ai.conversation.id": expect.stringMatching(/^cv_/),
        "toolbus.transcript.entries": expect.any(Number),
        "toolbus.tools.offered": expect.any(Number),
      },
    ],
    [
      "publish tool.invoke.release",
      4,
      {
        "toolbus.service": "agent",
        "messaging.system": "memory",
        "messaging.operation.name": "publish",
        "messaging.operation.type": "send",
        "messaging.destination.name": "tool.invoke.release",
        "messaging.message.id": expect.stringMatching(/#1$/),
        "messaging.message.conversation_id": expect.stringMatching(/^rn_/),
      },
    ],
    [
      "process tool.result.default",
      5,
      {
        "toolbus.service": "agent",
        "messaging.system": "memory",
        "messaging.operation.name": "process",
        "messaging.operation.type": "process",
        "messaging.destination.name": "tool.result.default",
        "messaging.message.id": expect.stringMatching(/^rn_/),
        "toolbus.deliveries": 1,
        "toolbus.disposition": "ack",
      },
    ],
    [
      "execute_tool get_release_summary",
      5,
      {
        "toolbus.service": "tool-executor",
        "messaging.system": "memory",
        "messaging.operation.name": "process",
        "messaging.operation.type": "process",
        "messaging.destination.name": "tool.invoke.release",
        "messaging.message.id": expect.stringMatching(/#1$/),
        "toolbus.deliveries": 1,
        "toolbus.disposition": "ack",
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "get_release_summary",
        "gen_ai.tool.type": "function",
        "gen_ai.tool.call.id": expect.stringMatching(/^rn_.*\.0\.0$/),
        "gen_ai.conversation.id": expect.stringMatching(/^cv_/),
        "toolbus.toolset": "release",
        "toolbus.tool.kind": "read",
        "toolbus.tool.version": expect.any(String),
        "toolbus.dispatch": 1,
        "toolbus.status": "ok",
      },
    ],
  ])("%s has its kind and the required attributes", (name, kind, attributes) => {
    const span = traceOf(runId).find((candidate) => candidate.name === name);
    expect(span).toMatchObject({ kind, attributes, failed: false });
  });

  it("has exactly the named kinds of spans", () => {
    expect([...new Set(traceOf(runId).map(({ name }) => name))].toSorted()).toEqual(
      [
        "POST /v1/investigations",
        "chat rules-1",
        "conversation",
        "execute_tool file_risk_report",
        "execute_tool get_code_changes",
        "execute_tool get_release_summary",
        "invoke_agent default",
        "process approval.held.default",
        "process approval.request",
        "process run.wake",
        "process tool.result.default",
        "publish approval.held.default",
        "publish approval.request",
        "publish run.wake",
        "publish tool.invoke.release",
      ].toSorted(),
    );
  });

  it("continues the trace of its client", () => {
    const trace = spans.filter(({ traceId }) => traceId === CLIENT.slice(3, 35));
    const root = trace.find(({ name }) => name === "POST /v1/investigations");
    expect(root?.parentSpanId).toBe(CLIENT.slice(36, 52));
    expect(trace.some(({ name }) => name === "execute_tool get_release_summary")).toBe(true);
  });

  it("has one file that contains every span of its trace", () => {
    const trace = traceOf(runId);
    const file = files.at("traces", `${trace[0]?.traceId}.jsonl`);
    const lines = readFileSync(file, "utf8").trim().split("\n");
    const inFile = lines.map((line) => (JSON.parse(line) as { readonly spanId: string }).spanId);
    expect(inFile.toSorted()).toEqual(trace.map(({ spanId }) => spanId).toSorted());
    expect(readdirSync(files.at("traces")).toSorted()).toEqual([...new Set(spans.map(({ traceId }) => `${traceId}.jsonl`))].toSorted());
  });

  it("has one line of the tool audit per call, with its trace", () => {
    const lines = readFileSync(files.at("audit.jsonl"), "utf8").trim().split("\n");
    const audit = lines.map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>).filter((line) => line["request_id"] === runId);
    expect(audit.map(({ at: _, latency_ms: __, args_hash: ___, ...line }) => line)).toEqual([
      {
        request_id: runId,
        conversation_id: expect.stringMatching(/^cv_/),
        call_id: `${runId}.0.0`,
        round: 0,
        tool_name: "get_release_summary",
        tool_version: expect.any(String),
        kind: "read",
        status: "ok",
        provider: "toolbus",
        trace_id: traceOf(runId)[0]?.traceId,
      },
      expect.objectContaining({ call_id: `${runId}.0.1`, tool_name: "get_code_changes", kind: "read", status: "error" }),
      expect.objectContaining({
        call_id: `${runId}.1.0`,
        round: 1,
        tool_name: "file_risk_report",
        kind: "write",
        status: "ok",
        provider: "offline",
      }),
    ]);
    const measured = { args_hash: expect.stringMatching(/^[0-9a-f]{16}$/), latency_ms: expect.any(Number) };
    for (const line of audit) expect(line).toMatchObject(measured);
    const events = traceOf(runId).flatMap((span) => span.events.filter(({ name }) => name === "toolbus.tool.call"));
    expect(events.map(({ attributes }) => attributes["gen_ai.tool.name"])).toContain("get_release_summary");
  });
});

describe("one conversation", () => {
  it("is one trace, whichever request brought a message, and links to the later requests", () => {
    const steps = spans.filter(
      ({ name, attributes }) => name.startsWith("invoke_agent") && attributes["gen_ai.conversation.id"] === conversationId,
    );
    expect(new Set(steps.map(({ attributes }) => attributes["toolbus.run.id"])).size).toBe(2);
    expect(new Set(steps.map(({ traceId }) => traceId)).size).toBe(1);
    const requests = spans.filter(({ name }) => name === "POST /v1/conversations/:id/messages");
    expect(requests).toHaveLength(2);
    const messages = spans.filter(
      ({ name, attributes }) => name === "conversation" && attributes["gen_ai.conversation.id"] === conversationId,
    );
    expect(messages.map(({ parentSpanId }) => parentSpanId).toSorted()).toEqual(requests.map(({ spanId }) => spanId).toSorted());
    expect(requests.map(({ parentSpanId }) => parentSpanId)).toEqual(["", ""]);
    const own = messages.find(({ traceId }) => traceId === steps[0]?.traceId);
    const other = messages.find(({ traceId }) => traceId !== steps[0]?.traceId);
    expect(steps.map(({ parentSpanId }) => parentSpanId)).toEqual(steps.map(() => own?.spanId));
    // Each answer of the model is also a separate span in that trace.
    expect(spans.filter(({ name, traceId }) => name.startsWith("chat ") && traceId === own?.traceId)).toHaveLength(2);
    expect(traceOfContext).toBe(own?.traceId);
    const links = spans.filter(({ traceId }) => traceId === steps[0]?.traceId).flatMap((span) => span.links);
    expect(links).toContainEqual({ traceId: other?.traceId, spanId: other?.spanId });
  });
});

describe("the metrics", () => {
  it.each([
    ["toolbus.tool.invoke.duration", "ms", { tool_name: "get_release_summary", status: "ok" }],
    ["toolbus.tool.invocations", "{call}", { tool_name: "file_risk_report", status: "ok" }],
    ["toolbus.tool.calls", "{call}", { tool_name: "file_risk_report", status: "ok" }],
    ["gen_ai.client.operation.duration", "s", { "gen_ai.operation.name": "chat", "gen_ai.provider.name": "offline" }],
    ["gen_ai.client.token.usage", "{token}", { "gen_ai.token.type": "output" }],
    ["messaging.process.duration", "s", { "messaging.destination.name": "tool.invoke.release", "toolbus.disposition": "ack" }],
    ["toolbus.outbox.age", "ms", { "messaging.destination.name": "run.wake" }],
    ["http.server.request.duration", "s", { "http.route": "/v1/investigations", "http.response.status_code": 202 }],
    ["toolbus.sse.streams", "{stream}", {}],
    ["toolbus.runs.started", "{run}", { "toolbus.profile": "release-investigation" }],
    ["toolbus.runs.ended", "{run}", { "toolbus.status": "completed" }],
    ["toolbus.approvals.held", "{approval}", { "toolbus.tier": "high" }],
    ["toolbus.approvals.decided", "{approval}", { "toolbus.outcome": "approved", "toolbus.tier": "high" }],
    ["toolbus.approvals.wait", "s", { "toolbus.outcome": "approved", "toolbus.tier": "high" }],
    ["toolbus.approvals.pending", "{approval}", {}],
    ["toolbus.approvals.policy.unusable", "1", {}],
  ])("has %s in %s, by its tags", (name, unit, tags) => {
    const metrics = traced.receiver.metrics().filter((metric) => metric.name === name);
    expect(metrics[0]?.unit).toBe(unit);
    expect(metrics.flatMap(({ points }) => points)).toContainEqual(expect.objectContaining(tags));
  });

  it("counts open streams up and down, and calls once each", () => {
    const last = (name: string): readonly number[] | undefined =>
      traced.receiver.metrics().findLast((metric) => metric.name === name)?.values;
    expect(last("toolbus.sse.streams")).toEqual([0]);
    // Two runs read the summary and the changes of the code, and one run filed a report.
    expect(last("toolbus.tool.invocations")?.toSorted()).toEqual([1, 2, 2]);
    expect(last("toolbus.tool.calls")?.toSorted()).toEqual([1, 2, 2]);
  });

  it("has the milliseconds of each tool call", () => {
    const durations = traced.receiver.metrics().findLast(({ name }) => name === "toolbus.tool.invoke.duration");
    const lines = readFileSync(files.at("audit.jsonl"), "utf8").trim().split("\n");
    const audited = lines.map((line) => (JSON.parse(line) as { readonly latency_ms: number }).latency_ms);
    const sum = (values: readonly number[]): number => values.reduce((before, value) => before + value, 0);
    // The audit has the duration that the worker measured. The metric also includes the time until the agent has received the answer.
    expect(sum(durations?.values ?? [])).toBeGreaterThanOrEqual(sum(audited));
    expect(sum(audited)).toBeGreaterThan(0);
  });

  it("has no id as a tag", () => {
    const values = traced.receiver.metrics().flatMap(({ points }) => points.flatMap((point) => Object.values(point).map(String)));
    expect(values.filter((value) => /(?:cv|rn|ap)_[0-9a-f]{2}_/.test(value))).toEqual([]);
  });
});

describe("every export", () => {
  it("names the process", () => {
    for (const resource of traced.receiver.resources()) {
      expect(resource).toMatchObject({
        "service.name": "toolbus",
        "service.namespace": "toolbus",
        "service.instance.id": expect.any(String),
      });
    }
  });
});

/** Starts an investigation in the client's own trace, and follows it up to its first call. */
async function followTraced(): Promise<void> {
  const { gateway, user } = traced.requester;
  const response = await fetch(`${gateway}/v1/investigations`, {
    method: "POST",
    headers: { authorization: `Bearer ${user}`, "content-type": "application/json", traceparent: CLIENT },
    body: JSON.stringify({ releaseId: RELEASE }),
    signal: AbortSignal.timeout(30_000),
  });
  const { runId: id } = (await response.json()) as { readonly runId: string };
  await heldApproval(traced.requester, id);
}

/** Holds a conversation of two messages and waits for each answer before the next message. */
async function converse(): Promise<string> {
  const { gateway, user } = traced.requester;
  const { conversationId: id } = (await call(`${gateway}/v1/conversations`, user, {})).body as { readonly conversationId: string };
  for (const text of ["Hello.", "Hello again."]) {
    const { runId: run } = (await call(`${gateway}/v1/conversations/${id}/messages`, user, { text })).body as { readonly runId: string };
    await follow(traced.requester, run);
  }
  return id;
}

/** Returns the trace that is stored with the conversation. */
async function traceOfConversation(): Promise<string | null> {
  const { gateway, user } = traced.requester;
  const { body } = await call(`${gateway}/v1/conversations/${conversationId}/context`, user);
  return (body as { readonly traceId: string | null }).traceId;
}

/** Returns all spans of the trace that a run belongs to. */
function traceOf(run: string): readonly ReceivedSpan[] {
  const traceId = spans.find(({ attributes }) => attributes["toolbus.run.id"] === run)?.traceId;
  return spans.filter((span) => span.traceId === traceId);
}

/** Returns the names of a span's ancestors, from its parent up. */
function ancestors(span: ReceivedSpan, trace: readonly ReceivedSpan[]): readonly string[] {
  const parent = trace.find(({ spanId }) => spanId === span.parentSpanId);
  return parent ? [parent.name, ...ancestors(parent, trace)] : [];
}
