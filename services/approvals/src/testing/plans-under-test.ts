import {
  type ApprovalPlanned,
  attributes,
  type JsonObject,
  message,
  messageTypes,
  type Plan,
  type ToolDefinition,
  topics,
} from "@toolbus/contracts";
import { argumentsHash, canonicalJson, planHash, planProblemHash, signPlan, toolHash } from "@toolbus/grants";
import { setup as started, until } from "./approvals-under-test.ts";
import { type Asked, call, own, payout } from "./writes-under-test.ts";

// A service of approvals with a tool that offers a plan. The tests are its worker.

export const planned: ToolDefinition = { ...payout, plan: true };
export const asks = (amount: number, n = 1): Asked => ({ callId: call(n), tool: planned, args: { order: "ORD-1", amount } });
export const plan = (before: number, after: number): Plan => ({ before: { balance: before }, after: { balance: after } });

/** Returns the service with a worker of the tool. `running` is a service that already runs with this tool. */
export async function plansUnderTest(running?: Awaited<ReturnType<typeof started>>) {
  const t = running ?? (await started({ tools: [planned] }));
  const questions: string[] = [];
  const waiting: (() => void)[] = [];
  await t.bus.consume(
    topics.plan("orders"),
    async ({ message: { id, body } }) => {
      if (!questions.some((one) => one.startsWith(`${id} `)))
        questions.push(`${id} ${(JSON.parse(body) as JsonObject)["arguments"] as string}`);
      waiting.shift()?.();
      return { kind: "ack" };
    },
    { concurrency: 1 },
  );
  let sent = 0;
  const say = async (
    asked: Asked,
    said: Partial<ApprovalPlanned>,
    { as = "worker.orders", about = {} as object, signsRound = true } = {},
  ): Promise<void> => {
    const { plan: content, problem = "", drifted } = said;
    const round = drifted === undefined ? {} : { drifted };
    const claims = {
      callId: asked.callId,
      toolset: "orders",
      tool: asked.tool.name,
      toolHash: toolHash(asked.tool),
      argsHash: argumentsHash(canonicalJson(asked.args)),
      planHash: content === undefined ? planProblemHash(problem) : planHash(content),
      at: t.clock.now,
      ...(signsRound ? round : {}),
      ...about,
    };
    await t.bus.publish(
      message({
        id: `planned:${++sent}`,
        topic: topics.approvalPlanned,
        type: messageTypes.approvalPlanned,
        source: "worker.orders",
        now: t.clock.now,
        correlationId: asked.callId,
        attributes: { [attributes.receipt]: await signPlan(claims, own.identityOf(as).signer) },
        body: { toolCallId: asked.callId, toolName: asked.tool.name, ...said },
      }),
    );
  };
  const card = async (id: string) => (await t.get("amy", `/v1/approvals/${id}`)).body;
  return {
    ...t,
    [Symbol.asyncDispose]: t[Symbol.asyncDispose],
    questions,
    say,
    card,
    /** Waits until approvals has asked for a plan this many times. */
    async asked(times: number): Promise<void> {
      while (questions.length < times) await new Promise<void>((resolve) => waiting.push(resolve));
    },
    /** Makes the worker's plan, and waits until it is on the card. */
    async plans(id: string, asked: Asked, content: Plan): Promise<void> {
      await say(asked, { plan: content });
      await until(async () => ((await card(id))["plan"] as JsonObject | undefined)?.["hash"] === planHash(content));
    },
    /** Approves the write with the plan on its card. */
    async approve(who: "amy" | "ben", id: string, extra: object = {}) {
      const { plan: shown } = await card(id);
      return t.decide(who, id, "approve", { planHash: (shown as JsonObject | undefined)?.["hash"], ...extra });
    },
    async reopened(id: string): Promise<void> {
      await until(async () => (await card(id))["status"] === "pending");
    },
  };
}
