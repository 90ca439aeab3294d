import {
  type ApprovalPlanned,
  attributes,
  type Message,
  message,
  messageIds,
  messageTypes,
  type ToolPlan,
  topics,
} from "@toolbus/contracts";
import { argumentsHash, canonicalJson, planHash, planProblemHash, verifyPlan } from "@toolbus/grants";
import { describe, expect, it } from "vitest";
import { planCall } from "../calls/plan-call.ts";
import { bench, type InvokeOptions, type ProcessOptions, receiptKeys } from "../testing/bench.ts";
import { defineTool } from "../tool/define-tool.ts";
import { type ToolProblem, toolError } from "../tool/tool-problem.ts";
import { toolset } from "../tool/toolset.ts";

const ARGS = { amount: 5 };
const CONVERSATION = "cv_03_01ARZ3NDEKTSV4RRFFQ69G5FAV";

/** A write that takes from a balance. Its plan is the balance before and after. */
function setup() {
  const target = { balance: 20, effects: 0, fault: null as ToolProblem | null, padding: "" };
  const tool = defineTool({
    name: "take",
    kind: "write",
    description: "Takes an amount.",
    parameters: { type: "object", properties: { amount: { type: "integer" } }, required: ["amount"], additionalProperties: false },
    risk: { tier: "low", rules: [{ when: { properties: { amount: { minimum: 5 } } }, tier: "high", reason: "much" }] },
    idempotency: { mode: "none" },
    effect: "Take {amount}.",
    plan: ({ amount }: { readonly amount: number }) =>
      target.fault ?? { before: { balance: target.balance }, after: { balance: target.balance - amount, padding: target.padding } },
    prepare: (args) => args,
    run: ({ amount }) => {
      target.effects++;
      target.balance -= amount;
      return { balance: target.balance };
    },
  });
  const tools = toolset({ name: "orders", tools: [tool] });
  const b = bench(tools);
  const executor = tools.find("take");
  if (!executor) throw new Error("The toolset has no such tool.");
  const said: Message[] = [];
  const start = (options: ProcessOptions = {}) => {
    const answers: Message[] = [];
    const publish = async (sent: Message) => void (sent.topic === topics.approvalPlanned ? said : answers).push(sent);
    return { ...b.process({ publish, ...options }), answers };
  };
  const currentHash = () => planHash({ before: { balance: target.balance }, after: { balance: target.balance - 5, padding: "" } });
  return {
    ...b,
    target,
    executor,
    said,
    start,
    currentHash,
    /** The call with a grant for this plan. */
    call: (round: number, hash = currentHash(), options: InvokeOptions = {}) =>
      b.invoke("take", ARGS, { ...options, grant: { plan: { round, hash } } }),
    question(part: Partial<ToolPlan> = {}): Message {
      const body = { toolCallId: b.callId(), toolName: "take", toolVersion: "1", toolHash: executor.hash, arguments: canonicalJson(ARGS) };
      return message({
        id: messageIds.other("plan", b.callId(), 1),
        topic: topics.plan("orders"),
        type: messageTypes.toolPlan,
        source: "/approvals",
        now: b.clock.now,
        body: { ...body, sessionId: CONVERSATION, ...part },
      });
    },
    bodies: () => said.map(({ body }) => JSON.parse(body) as ApprovalPlanned),
    async verdict(at = said.length - 1, drifted?: number) {
      const sent = said[at];
      const { plan, problem = "" } = JSON.parse(sent?.body ?? "{}") as ApprovalPlanned;
      const about = {
        callId: b.callId(),
        toolset: "orders",
        tool: "take",
        toolHash: executor.hash,
        argsHash: argumentsHash(canonicalJson(ARGS)),
      };
      const hash = plan === undefined ? planProblemHash(problem) : planHash(plan);
      const expected = { ...about, planHash: hash, ...(drifted === undefined ? {} : { drifted }) };
      return (await verifyPlan({ proof: sent?.attributes[attributes.receipt] ?? "", keys: receiptKeys, expected })).kind;
    },
  };
}

const once = { count: 1, signal: new AbortController().signal };
const ask = (context: Parameters<typeof planCall>[3], question: Message, count = 1) =>
  planCall(question, JSON.parse(question.body) as ToolPlan, { ...once, count }, context);

describe("a worker that is asked for a plan", () => {
  it("answers with the plan, signed by its toolset for exactly this call, and changes nothing", async () => {
    const { start, question, bodies, verdict, target, row } = setup();
    expect(await ask(start().context, question())).toEqual({ kind: "ack" });
    expect(bodies()).toMatchObject([{ toolName: "take", plan: { before: { balance: 20 }, after: { balance: 15 } } }]);
    expect([await verdict(), await verdict(0, 1)]).toEqual(["genuine", "forged"]);
    expect([target.effects, await row()]).toEqual([0, null]);
  });

  it("answers with the problem if it would stay the same, and waits for a target that may come back", async () => {
    const { start, question, bodies, verdict, target, said } = setup();
    const { context } = start();
    target.fault = toolError("no_such_account", "There is no such account.");
    await ask(context, question());
    expect(bodies()).toMatchObject([{ problem: "There is no such account." }]);
    expect(await verdict()).toBe("genuine");
    target.fault = toolError("unavailable", "The bank is down.");
    expect(await ask(context, question())).toMatchObject({ kind: "retry" });
    expect(await ask(context, question(), 4)).toEqual({ kind: "ack" });
    expect(said).toHaveLength(1);
  });

  it("says that a plan is too long to be read, so that its author shortens it", async () => {
    const { start, question, bodies, target } = setup();
    target.padding = "x".repeat(5000);
    await ask(start().context, question());
    expect(bodies()[0]?.problem).toMatch(/^The plan of "take" has 5\d\d\d bytes, and 4096 are allowed/);
  });

  it("leaves the question to a replica with the definition that approvals pinned", async () => {
    const { start, question, said } = setup();
    expect(await ask(start().context, question({ toolHash: `sha256-${"A".repeat(43)}` }))).toMatchObject({ kind: "retry" });
    expect(said).toEqual([]);
  });
});

describe("a write whose plan was approved", () => {
  it("runs if the target is as it was", async () => {
    const { start, call, target, said, row } = setup();
    expect(await start().deliver(await call(1))).toEqual({ kind: "ack" });
    expect([target.effects, said.length, (await row())?.state]).toEqual([1, 0, "done"]);
  });

  it("is sent back if the target has changed, with the new plan for approvals", async () => {
    const { start, call, target, bodies, verdict, row } = setup();
    const approved = await call(1);
    target.balance = 7;
    const worker = start();
    expect(await worker.deliver(approved)).toEqual({ kind: "ack" });
    expect(target.effects).toBe(0);
    expect(worker.answers.map(({ type }) => type)).toEqual([messageTypes.grantStale]);
    expect(bodies()).toMatchObject([{ drifted: 1, plan: { before: { balance: 7 }, after: { balance: 2 } } }]);
    expect([await verdict(0, 1), await verdict(0)]).toEqual(["genuine", "forged"]);
    expect(await row()).toMatchObject({ state: "begun", lease: null, planRound: 2 });
  });

  it("never runs under the old grant again, even if the target changes back, and runs under a grant for the new plan", async () => {
    const { start, call, target, said } = setup();
    const approved = await call(1);
    target.balance = 7;
    await start().deliver(approved);
    target.balance = 20;
    const worker = start();
    await worker.deliver(approved, 2);
    expect([target.effects, said.length]).toEqual([0, 2]);
    expect(worker.answers.map(({ type }) => type)).toEqual([messageTypes.grantStale]);
    await start().deliver(await call(2, undefined, { dispatch: 2 }));
    expect(target.effects).toBe(1);
  });

  it("tells approvals of the change even if the worker died in between", async () => {
    const { start, call, target, said, bodies } = setup();
    const approved = await call(1);
    target.balance = 7;
    const first = start({ dieAfter: "drifted" });
    void first.deliver(approved);
    await first.died;
    expect(said).toEqual([]);
    await start().deliver(approved, 2);
    expect(bodies()).toMatchObject([{ drifted: 1, plan: { before: { balance: 7 } } }]);
    expect(target.effects).toBe(0);
  });

  it("ends with the problem if it cannot be planned any more, and nothing is sent", async () => {
    const { start, call, target, row } = setup();
    const approved = await call(1);
    target.fault = toolError("account_closed", "The account is closed.");
    await start().deliver(approved);
    expect(target.effects).toBe(0);
    expect(await row()).toMatchObject({ state: "done", result: { error: { code: "account_closed" } } });
  });

  it("is dropped if people approved it without a plan, because the definition demands one", async () => {
    const { start, invoke, target, security } = setup();
    await start().deliver(await invoke("take", ARGS));
    expect(target.effects).toBe(0);
    expect(await security()).toMatchObject([{ reason: "insufficient" }]);
  });

  it("is not planned again if policy granted it, because nobody approved a plan", async () => {
    const { start, invoke, target, said } = setup();
    const sent = await invoke("take", { amount: 4 });
    target.balance = 7;
    await start().deliver(sent);
    expect([target.effects, said.length]).toEqual([1, 0]);
  });
});

describe("a definition", () => {
  it("says that the tool offers a plan, and only a write may have one", () => {
    expect(setup().executor.definition.plan).toBe(true);
    const read = {
      name: "look",
      kind: "read",
      description: "Looks.",
      parameters: { type: "object", properties: {}, additionalProperties: false },
    };
    const wrong = { ...read, run: () => ({}), plan: () => ({ before: {}, after: {} }) } as unknown as Parameters<typeof defineTool>[0];
    expect(() => defineTool(wrong)).toThrow('The tool "look" is a read and has a "plan"; only a write has one.');
  });
});
