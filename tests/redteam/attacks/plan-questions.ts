import { type Arena, forgedMessage, type Held } from "../arena.ts";
import { attributes, type JsonObject, keys, type Message, messageTypes, topics } from "@toolbus/contracts";
import { canonicalJson } from "@toolbus/grants";
import { type Attack, both, harmless, held, type Outcome, reached, server } from "../attack.ts";
import { cardOf, newPayee, plannedWrite, shownLimit, timesOf } from "../planned-write.ts";
import { textIn } from "../text-in.ts";
import { REFUSED, refusedOr } from "./plans.ts";

const FLOOD = 300;

/** Questions for a plan that approvals did not ask. Nobody signs them, because a plan has no effect. */
export const planQuestions: readonly Attack[] = [
  {
    name: "a worker is asked for the plan of a waiting write with other arguments",
    attacker: "approvals",
    expected: both(REFUSED),
    async run(arena) {
      const write = await plannedWrite(arena, newPayee(), 70);
      await arena.as("approvals").publish(await question(arena, write, write.callId, { payee: write.args.payee, amount: 1 }));
      await refusedOr(arena, write, async () => shownLimit(await cardOf(arena, write)) !== "100 to 70");
      const shown = shownLimit(await cardOf(arena, write));
      await arena.decide(write, "deny");
      return shown === "100 to 70" ? held("the card shows the plan that it had", write.callId) : reached(`the card shows ${shown}`);
    },
  },
  {
    name: "a worker is asked for a plan by the agent",
    attacker: "agent",
    expected: { own: server, shared: harmless },
    run: (arena) => askedBy(arena, "agent", 1),
  },
  {
    name: `a worker is asked for ${FLOOD} plans of writes that nobody requested`,
    attacker: "approvals",
    expected: both(harmless),
    run: (arena) => askedBy(arena, "approvals", FLOOD),
  },
];

/** Asks for plans of made-up calls. A genuine write with a plan must still be done, and nothing else may happen. */
async function askedBy(arena: Arena, attacker: "agent" | "approvals", count: number): Promise<Outcome> {
  const write = await plannedWrite(arena, newPayee(), 70);
  try {
    const args = { payee: newPayee(), amount: 9000 };
    const callIds = Array.from({ length: count }, (_, index) => write.callId.replace(/\d+$/, String(200 + index)));
    const questions = await Promise.all(callIds.map((callId) => question(arena, write, callId, args)));
    await arena.as(attacker).broker((bus) => bus.flood(questions));
    const other = await plannedWrite(arena, newPayee(), 71);
    await arena.decide(other, "approve");
    await arena.ended(other.runId);
    await arena.until("the plans", () => (planned(arena, callIds) === count ? true : null));
    // A write that people allowed in an earlier attack may still happen now, so only the effects of these questions count.
    const effects = arena.system.target.journal().filter(({ callId, payee }) => callIds.includes(callId) || payee === args.payee);
    const approvals = await Promise.all(callIds.map((callId) => arena.eye.text(keys.approval(`ap_${callId}`))));
    return effects.length === 0 && timesOf(arena, other) === 1 && approvals.every((text) => text === null)
      ? held(`the worker made ${count} plans, and none of them had an effect`)
      : reached(`there were ${effects.length} effects`);
  } finally {
    await arena.decide(write, "deny");
  }
}

function planned(arena: Arena, callIds: readonly string[]): number {
  const lines = arena.system.lines().filter((line) => line.includes("a write was planned"));
  return callIds.filter((callId) => lines.some((line) => line.includes(`"${callId}"`))).length;
}

let sent = 0;

/** Makes the question that only approvals asks, about another call of the write's run. */
async function question(arena: Arena, write: Held, callId: string, args: JsonObject): Promise<Message> {
  const { toolVersion, toolHash, conversationId: sessionId } = await arena.stored(keys.call(write.callId));
  return forgedMessage({
    id: `plan.forged:${callId}#${++sent}`,
    topic: topics.plan("payments"),
    type: messageTypes.toolPlan,
    correlationId: callId,
    attributes: { [attributes.agent]: "default", [attributes.toolHash]: textIn(toolHash) },
    body: { toolCallId: callId, toolName: write.tool, toolVersion, toolHash, arguments: canonicalJson(args), sessionId },
  });
}
