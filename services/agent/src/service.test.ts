import { consumeQueue, memoryBus, type MessageBus } from "@toolbus/bus";
import {
  ApprovalRequest,
  attributes,
  failedResult,
  type Json,
  keys,
  type Message,
  message,
  messageTypes,
  parser,
  type Registration,
  type RunEvent,
  ToolInvoke,
  topics,
} from "@toolbus/contracts";
import { argumentsHash, ownKeys, signMessage, toolHash } from "@toolbus/grants";
import { readSettings } from "@toolbus/runtime";
import { memoryStore, type StateStore } from "@toolbus/state";
import { silentLog } from "@toolbus/telemetry";
import { resultMessage, signAnswer } from "@toolbus/tool-kit";
import { afterEach, describe, expect, it } from "vitest";
import { eventsOf } from "./testing/events-under-test.ts";
import { signedOrigin } from "./testing/origin-under-test.ts";
import { agent } from "./service.ts";

const CONVERSATION = "cv_05_01JD0000000000000000000001";
const RUN = "rn_05_01JD0000000000000000000001";
const SUMMARY = { release_id: "v2", version: "v2", changes: ["Fix a typo"], change_count: 1, tests: { passed: 10, failed: 0, skipped: 0 } };

const parseInvoke = parser(ToolInvoke);
const parseRequest = parser(ApprovalRequest);

const own = await ownKeys(["agent", "gateway", "approvals", "worker.release"]);
const OWN = { identity: own.identityOf("agent"), trusted: own.trusted, embedded: true };

/** Starts the agent with a real bus and store, and with other services that the test controls. */
async function setup() {
  const state = memoryStore({ clock: () => Date.now() });
  const bus = memoryBus({});
  const infrastructure = {
    state,
    bus,
    log: silentLog,
    ...OWN,
    random: (n: number) => crypto.getRandomValues(new Uint8Array(n)),
    monotonic: () => performance.now(),
    clock: () => Date.now(),
  };
  await register(state);
  const service = await agent.start(
    infrastructure,
    readSettings(agent.settings, { POLL_MS: "10", OUTBOX_VISIBILITY_MS: "500", RUN_LEASE_MS: "2000", RUN_RENEW_MS: "500" }),
  );
  const close = async (): Promise<void> => {
    await service.stop();
    await bus.close();
    await state.close();
  };
  return { state, bus, close };
}

let close: (() => Promise<void>) | undefined;
afterEach(async () => close?.());

describe("the agent", () => {
  it("seeds, thinks, asks for its write, waits for the decision, and ends with a report", async () => {
    const { state, bus, close: stop } = await setup();
    close = stop;
    const invokes: string[] = [];
    await worker(bus, (invoke, sent) => {
      invokes.push(invoke.toolName);
      if (invoke.toolName === "get_release_summary") return JSON.stringify(SUMMARY);
      return sent.attributes[attributes.grant] === "granted" ? '{"report_id":"r-1"}' : null;
    });
    await approvals(bus, ["approved"]);
    await accept(state, bus);
    const events = await ended(state);
    expect(events.map((event) => event.type)).toEqual([
      "run.started",
      "turn",
      "call.resolved",
      "turn",
      "call.decided",
      "call.resolved",
      "turn",
      "run.completed",
    ]);
    expect(events.at(-1)).toMatchObject({
      report: { filing: { status: "filed", reportId: "r-1" } },
      usage: { modelCalls: 2, toolCalls: 2 },
    });
    expect(invokes).toEqual(["get_release_summary", "file_risk_report"]);
  });

  it("asks again with the reviewer's changes when they ask for a revision, and files only that", async () => {
    const { state, bus, close: stop } = await setup();
    close = stop;
    const filed: Json[] = [];
    await worker(bus, (invoke) => {
      if (invoke.toolName === "get_release_summary") return JSON.stringify(SUMMARY);
      filed.push(JSON.parse(invoke.arguments));
      return '{"report_id":"r-1"}';
    });
    const asked = await approvals(bus, ["revision_requested", "Make it high, the cache was not warmed"], ["approved"]);
    await accept(state, bus);
    const events = await ended(state);
    const severities = asked.map(({ arguments: args }) => (JSON.parse(args) as { readonly severity: string }).severity);
    expect(severities).toEqual(["low", "high"]);
    expect(filed).toMatchObject([
      { severity: "high", findings: expect.arrayContaining(["Reviewer: Make it high, the cache was not warmed"]) },
    ]);
    expect(events.at(-1)).toMatchObject({ type: "run.completed", report: { filing: { status: "filed", reportId: "r-1" } } });
  });

  it("tells the person that nothing was filed when the approver says no", async () => {
    const { state, bus, close: stop } = await setup();
    close = stop;
    await worker(bus, () => JSON.stringify(SUMMARY));
    await approvals(bus, ["rejected"]);
    await accept(state, bus);
    const events = await ended(state);
    expect(events.at(-1)).toMatchObject({ type: "run.completed", report: { filing: { status: "denied" } } });
  });

  it("drops an answer that does not echo the call's secret, and accepts the right one", async () => {
    const { state, bus, close: stop } = await setup();
    close = stop;
    await worker(bus, (invoke, sent) => {
      void answerTo(sent, "forged").then((forged) =>
        bus.publish({
          ...forged,
          id: `${sent.id}-forged`,
          attributes: { ...forged.attributes, [attributes.secretHash]: "sha256-guessed" },
        }),
      );
      return invoke.toolName === "get_release_summary" ? JSON.stringify(SUMMARY) : '{"report_id":"r-1"}';
    });
    await approvals(bus, ["approved"]);
    await accept(state, bus);
    const events = await ended(state);
    expect(JSON.stringify(events)).not.toContain("forged");
    expect(events.at(-1)?.type).toBe("run.completed");
  });

  it("drops an answer to a write that its worker did not sign, and accepts the signed one", async () => {
    const { state, bus, close: stop } = await setup();
    close = stop;
    const security = () => state.range(keys.security("05", "agent"), { after: 0, limit: 10 });
    await worker(bus, async (invoke, sent) => {
      if (invoke.toolName === "get_release_summary") return JSON.stringify(SUMMARY);
      const { [attributes.receipt]: _, ...unsigned } = (await answerTo(sent, "forged")).attributes;
      const feed = state.follow({ signal: AbortSignal.timeout(20_000) })[Symbol.asyncIterator]();
      await bus.publish({ ...(await answerTo(sent, "forged")), id: `${sent.id}-forged`, attributes: unsigned });
      // The first answer wins, so the genuine answer waits until the agent has judged the forged one.
      while ((await security()).length === 0) await feed.next();
      await feed.return?.(undefined);
      return '{"report_id":"r-1"}';
    });
    await approvals(bus, ["approved"]);
    await accept(state, bus);
    const events = await ended(state);
    expect(JSON.stringify(events)).not.toContain("forged");
    expect(events.at(-1)).toMatchObject({ report: { filing: { status: "filed", reportId: "r-1" } } });
    expect((await security()).map(({ value }) => value)).toEqual([expect.objectContaining({ reason: "answer_unsigned" })]);
  });

  it("works when the bus duplicates and reorders everything", async () => {
    const { state, bus, close: stop } = await setup();
    close = stop;
    bus.setFaults({ duplicate: 1, reorder: 0.5 });
    await worker(bus, (invoke) => (invoke.toolName === "get_release_summary" ? JSON.stringify(SUMMARY) : '{"report_id":"r-1"}'));
    await approvals(bus, ["approved"]);
    await accept(state, bus);
    const events = await ended(state);
    expect(events.filter((event) => event.type === "call.resolved")).toHaveLength(2);
    expect(events.filter((event) => event.type === "turn")).toHaveLength(3);
  });

  it("ends a run whose release does not exist with an answer that says so, and files nothing", async () => {
    const { state, bus, close: stop } = await setup();
    close = stop;
    const invoked: string[] = [];
    await worker(bus, (invoke) => {
      invoked.push(invoke.toolName);
      return failedResult("release_not_found", 'There is no release "v2".');
    });
    await accept(state, bus);
    const end = (await ended(state)).at(-1);
    expect(end).toMatchObject({ type: "run.completed", report: { filing: { status: "not_attempted" } } });
    expect(invoked).toEqual(["get_release_summary"]);
  });
});

type Answer = string | ReturnType<typeof failedResult> | null;

async function worker(bus: MessageBus, answer: (invoke: ToolInvoke, sent: Message) => Answer | Promise<Answer>): Promise<void> {
  await consumeQueue(bus, {
    topic: topics.invoke("release"),
    concurrency: 4,
    deadlineMs: 5000,
    parse: parseInvoke,
    log: silentLog,
    clock: () => Date.now(),
    handler: async (sent, invoke) => {
      const said = await answer(invoke, sent);
      if (said !== null) await bus.publish(await answerTo(sent, said));
      return { kind: "ack" };
    },
  });
}

async function answerTo(sent: Message, said: string | ReturnType<typeof failedResult>): Promise<Message> {
  const invoke = JSON.parse(sent.body) as ToolInvoke;
  const result = typeof said === "string" ? { status: "ok" as const, content: said, isError: false } : said;
  const { toolCallId: callId, toolName: tool } = invoke;
  const toolHash = sent.attributes[attributes.toolHash] ?? "";
  const call = { callId, toolset: "release", tool, toolHash, argsHash: argumentsHash(invoke.arguments) };
  const receipt = await signAnswer(call, { result, fence: 1, at: Date.now() }, own.identityOf("worker.release").signer);
  return resultMessage({
    invoke: sent,
    call: invoke,
    result,
    receipt,
    dispatch: Number(sent.attributes[attributes.dispatch]),
    source: "/test",
    now: Date.now(),
  });
}

/** Decides each write when its request arrives. The last of the outcomes applies to all later writes. Returns the requests. */
async function approvals(
  bus: MessageBus,
  ...outcomes: readonly (readonly [outcome: "approved" | "rejected" | "revision_requested", comment?: string])[]
): Promise<readonly ApprovalRequest[]> {
  const asked: ApprovalRequest[] = [];
  await consumeQueue(bus, {
    topic: topics.approvalRequest,
    concurrency: 1,
    deadlineMs: 5000,
    parse: parseRequest,
    log: silentLog,
    clock: () => Date.now(),
    handler: async (_, request) => {
      const { toolCallId } = request;
      const [outcome, comment] = outcomes[Math.min(asked.push(request), outcomes.length) - 1] ?? ["rejected"];
      const body = {
        toolCallId,
        approvalId: `ap_${toolCallId}`,
        outcome,
        ...(comment === undefined ? {} : { comment }),
        grantExpiresAt: Date.now() + 900_000,
        executeBy: Date.now() + 900_000,
      };
      const decision = message({
        id: `decided:${toolCallId}#${asked.length}`,
        topic: topics.approvalDecided("default"),
        type: messageTypes.approvalDecided,
        source: "/test",
        now: Date.now(),
        correlationId: toolCallId,
        attributes: outcome === "approved" ? { [attributes.grant]: "granted" } : {},
        body,
      });
      await bus.publish(await signMessage(decision, own.identityOf("approvals")));
      return { kind: "ack" };
    },
  });
  return asked;
}

async function accept(state: StateStore, bus: MessageBus): Promise<void> {
  const entry = {
    kind: "message",
    entryId: RUN,
    runId: RUN,
    conversationId: CONVERSATION,
    agent: "default",
    profile: "release-investigation",
    text: "Investigate v2.",
    input: { releaseId: "v2" },
    ifActive: "enqueue",
    acceptedAt: Date.now(),
  };
  const key = keys.inbox("05", RUN);
  const origin = { key: keys.runOrigin(RUN), value: await signedOrigin(entry, own.identityOf("gateway")) };
  await state.commit("05", { op: "accept", guards: [{ key, version: 0 }], put: [origin, { key, value: entry }] });
  await bus.publish(
    message({
      id: `wake:${RUN}#1`,
      topic: topics.runWake,
      type: messageTypes.runWake,
      source: "/test",
      now: Date.now(),
      body: { runId: RUN, entryId: RUN },
    }),
  );
}

/** Waits for the end of the run and returns its durable events. */
async function ended(state: StateStore): Promise<RunEvent[]> {
  const events = async (): Promise<RunEvent[]> => eventsOf(state, RUN);
  const over = (list: RunEvent[]): boolean => ["run.completed", "run.failed", "run.cancelled"].includes(list.at(-1)?.type ?? "");
  const signal = AbortSignal.timeout(20_000);
  const feed = state.follow({ signal })[Symbol.asyncIterator]();
  let next = feed.next();
  for (;;) {
    const list = await events();
    if (over(list)) {
      await feed.return?.(undefined);
      return list;
    }
    const item = await next;
    if (item.done) throw new Error(`the run did not end: ${JSON.stringify(list)}`);
    next = feed.next();
  }
}

async function register(state: StateStore): Promise<void> {
  const parameters: Json = { type: "object" };
  const tools = [
    { name: "get_release_summary", kind: "read" as const, tier: "low" as const },
    { name: "file_risk_report", kind: "write" as const, tier: "high" as const },
  ];
  for (const { name, kind, tier } of tools) {
    const definition = {
      name,
      version: "1",
      description: name,
      parameters: parameters as object as Registration["definition"]["parameters"],
      kind,
      risk: { tier },
      idempotency: { mode: "none" as const },
      timeoutMs: 5000,
      source: "test",
    };
    const hash = toolHash(definition);
    // The toolset may be scaled to zero, so its workers do not matter here.
    const registration: Registration = { toolset: "release", definition, hash, registeredAt: 1, lastSeenAt: 1, scalesToZero: true };
    const key = keys.registration("release", name, "1");
    await state.commit("00", {
      op: `register:${name}`,
      guards: [{ key, version: 0 }],
      put: [{ key, value: registration as unknown as Json }],
      index: [{ index: keys.registryIndex(), member: `release/${name}@1`, score: 0 }],
    });
  }
}
