import { silentLog } from "@toolbus/telemetry";
import { afterEach, describe, expect, it, vi } from "vitest";
import { defineTool } from "../tool/define-tool.ts";
import { toolError } from "../tool/tool-problem.ts";
import { toolset } from "../tool/toolset.ts";
import { toolsetUnderTest } from "./index.ts";

const ACCOUNT = {
  type: "object",
  properties: { account: { type: "string", maxLength: 20 }, amount: { type: "number", minimum: 0, maximum: 1000 } },
  required: ["account"],
  additionalProperties: false,
} as const;

/** A bank with one account, which fails as often as it is told. */
function bank({ failures = 0 } = {}) {
  const target = { balance: 20, open: true, paid: [] as string[], failures };
  const look = defineTool({
    name: "get_balance",
    description: "Gives the balance of an account, e.g. A1.",
    kind: "read",
    parameters: ACCOUNT,
    run: ({ account }) => {
      if (target.failures-- > 0) return toolError("unavailable", "The bank is away.");
      return account === "A1" ? { balance: target.balance } : toolError("no_account", "There is no such account.");
    },
  });
  const pay = defineTool({
    name: "pay",
    description: "Pays money from an account, e.g. A1.",
    kind: "write",
    parameters: ACCOUNT,
    risk: { tier: "high" },
    idempotency: { mode: "key", keepsForMs: 86_400_000 },
    effect: "Pay from {account}.",
    plan: ({ account, amount }) =>
      account === "A1" && target.open
        ? { before: { balance: target.balance }, after: { balance: target.balance - Number(amount) } }
        : toolError("no_account", "There is no such account."),
    prepare: (args) => args,
    run: ({ amount }, { idempotencyKey }) => {
      target.paid.push(idempotencyKey);
      target.balance -= Number(amount);
      return { balance: target.balance };
    },
  });
  const remind = defineTool({
    name: "remind",
    description: "Sends a reminder.",
    kind: "write",
    parameters: ACCOUNT,
    risk: { tier: "low" },
    effect: "Remind {account}.",
    idempotency: { mode: "none" },
    prepare: () => ({}),
    run: () => "sent",
  });
  return { target, tools: toolset({ name: "bank", tools: [look, pay, remind] }) };
}

async function setup(options = {}) {
  const { target, tools } = bank(options);
  return { target, ...(await toolsetUnderTest(tools)) };
}

/** A toolset with a tool that throws and a tool that forgets its `return`. */
function faulty() {
  const parameters = { type: "object", properties: {}, additionalProperties: false };
  const spec = { description: "Looks.", kind: "read", parameters } as const;
  const throwing = defineTool({
    ...spec,
    name: "throw_it",
    run: () => {
      throw new RangeError("The shelf is empty.");
    },
  });
  const forgetful = defineTool({ ...spec, name: "forget_it", run: () => undefined as unknown as null });
  return toolset({ name: "faulty", tools: [throwing, forgetful] });
}

afterEach(() => vi.restoreAllMocks());

describe("a toolset under test", () => {
  it("gives the results of a worker: what a handler returns, its problem, and arguments that do not fit", async () => {
    const { call } = await setup();
    expect(await call("get_balance", { account: "A1" })).toMatchObject({ status: "ok", isError: false, content: '{"balance":20}' });
    expect(await call("get_balance", { account: "A2" })).toMatchObject({ status: "error", error: { code: "no_account" } });
    expect(await call("get_balance", {})).toMatchObject({ error: { code: "invalid_arguments", details: [{ path: "/account" }] } });
  });

  it("answers calls at the same time, each with its own result", async () => {
    const { call } = await setup();
    const results = await Promise.all(["A1", "A2", "A1"].map((account) => call("get_balance", { account })));
    expect(results.map(({ status }) => status)).toEqual(["ok", "error", "ok"]);
    expect(new Set(results.map(({ callId }) => callId)).size).toBe(3);
  });

  it("repeats a read once after a transient failure, as a worker does", async () => {
    expect(await (await setup({ failures: 1 })).call("get_balance", { account: "A1" })).toMatchObject({ status: "ok" });
    expect(await (await setup({ failures: 2 })).call("get_balance", { account: "A1" })).toMatchObject({ error: { code: "unavailable" } });
  });

  it("writes with the approval of as many people as the tier needs, and with the plan that they were shown", async () => {
    const { call, plan, target } = await setup();
    expect(await plan("pay", { account: "A1", amount: 5 })).toEqual({ before: { balance: 20 }, after: { balance: 15 } });
    expect(await call("pay", { account: "A1", amount: 5 })).toMatchObject({ status: "ok", content: '{"balance":15}' });
    expect(target.balance).toBe(15);
  });

  it("does a write once, with the call's id as its key, however often the call is sent, also if it cannot be planned any more", async () => {
    const { call, target } = await setup();
    const args = { account: "A1", amount: 5 };
    const first = await call("pay", args);
    target.open = false;
    await expect(call("pay", args)).rejects.toThrow("pay made no plan: There is no such account.");
    expect(await call("pay", args, { callId: first.callId })).toEqual(first);
    expect(target.paid).toEqual([first.callId]);
  });

  it("sends nothing after the target has changed since its plan was approved", async () => {
    const { call, plan, target } = await setup();
    const shown = await plan("pay", { account: "A1", amount: 5 });
    target.balance = 100;
    const late = await call("pay", { account: "A1", amount: 5 }, { plan: shown });
    expect(late).toMatchObject({ isError: true, content: expect.stringContaining("the target has changed") as string });
    expect(target.paid).toEqual([]);
  });

  it("rejects a call that gets no answer, with the reason", async () => {
    const { call, target } = await setup();
    await expect(call("pay", { account: "A1", amount: 5 }, { approvers: [] })).rejects.toThrow(
      "pay gave no answer: 0 distinct approvers, 1 are needed.",
    );
    await expect(call("pay", { account: "A2", amount: 5 })).rejects.toThrow("pay made no plan: There is no such account.");
    expect(target.paid).toEqual([]);
    expect(await call("remind", { account: "A1" }, { approvers: [] })).toMatchObject({ status: "ok", content: "sent" });
  });

  it("rejects a write with the id of an earlier call and other arguments, and says so", async () => {
    const { call } = await setup();
    const { callId } = await call("remind", { account: "A1" });
    await expect(call("remind", { account: "A2" }, { callId })).rejects.toThrow(
      "remind gave no answer: it has other arguments than the first call of this id.",
    );
  });

  it("rejects with one sentence what it cannot do", async () => {
    const { call, plan } = await setup();
    await expect(call("steal", {})).rejects.toThrow('The toolset "bank" has no steal. It has get_balance@1, pay@1, remind@1.');
    await expect(call("pay", { account: "A1" }, { version: "2" })).rejects.toThrow('The toolset "bank" has no pay@2. It has ');
    await expect(plan("get_balance", { account: "A1" })).rejects.toThrow('get_balance makes no plan: it has no function "plan".');
    await expect(plan("pay", { account: "A2" })).rejects.toThrow("pay made no plan: There is no such account.");
    await expect(plan("pay", {})).rejects.toThrow("pay made no plan: its arguments do not fit the definition.");
    expect(await call("pay", {})).toMatchObject({ error: { code: "invalid_arguments", details: [{ path: "/account" }] } });
  });

  it("prints why a handler threw or returned nothing, and neither with a log of the author nor without one", async () => {
    const printed: string[] = [];
    vi.spyOn(process.stderr, "write").mockImplementation((line) => printed.push(String(line)) > 0);
    const { call } = await toolsetUnderTest(faulty());
    await call("throw_it", {});
    expect(printed.splice(0).join("")).toMatch(
      /ERROR {2}worker\.faulty {2}a tool's handler threw .*\n {2}RangeError: The shelf is empty\.\n/,
    );
    await call("forget_it", {});
    expect(printed.splice(0).join("")).toMatch(/WARN {3}worker\.faulty {2}a tool's handler returned nothing/);
    const lines: string[] = [];
    const log = { ...silentLog, error: (_: object, text: string) => void lines.push(text), child: () => log };
    await (await toolsetUnderTest(faulty(), { log })).call("throw_it", {});
    await (await toolsetUnderTest(faulty(), { log: null })).call("throw_it", {});
    expect([lines, printed]).toEqual([["a tool's handler threw"], []]);
  });
});
