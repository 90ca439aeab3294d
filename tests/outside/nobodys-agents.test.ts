import { attributes, callIdOf, type JsonObject, keys, type Message, messageTypes, topics } from "@toolbus/contracts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Arena, forgedMessage, openArena } from "../redteam/arena.ts";
import { invokeOf } from "../redteam/attacks/calls.ts";
import { BROKERS, startSystemUnderAttack, type SystemUnderAttack } from "../redteam/system.ts";
import { textIn } from "../redteam/text-in.ts";
import { halted, isHeld, linesOf, sent } from "./queue-floods.ts";

/** Together with the genuine requests, these stay below the number of pending writes that one requester may have (`PENDING_PER_REQUESTER`, 100). */
const FORGED = 90;
/** This is enough even for a slow disk, on which the requests of one run are stored one after another. A blocked queue would never be finished. */
const WITHIN_MS = 60_000;

describe.each(BROKERS)("messages that name an agent that does not exist, with a login for each service, on %s", (broker) => {
  let system: SystemUnderAttack;
  let arena: Arena;
  beforeAll(async () => {
    system = await startSystemUnderAttack(broker, "own");
    arena = await openArena(system);
  });
  afterAll(async () => {
    await arena?.close();
    await system?.stop();
  });

  it.each(["of runs that nobody requested", "of a run that somebody requested"] as const)(
    `${FORGED} requests %s block no request behind them, and close no channel`,
    async (which) => {
      const write = await arena.held("high", { payee: "BAKERY", amount: 41 });
      const call = await arena.stored(keys.call(write.callId));
      const runId = which === "of a run that somebody requested" ? write.runId : `${write.runId.slice(0, 6)}01ARZ3NDEKTSV4RRFFQ69G5FAV`;
      const approvals = halted(system, "approvals");
      await arena.as("agent").broker((bus) => bus.flood(requests(call, runId)));
      const genuine = await arena.asked("high", { payee: "BAKERY", amount: 42 });
      await sent(arena, genuine.runId);
      const before = channels();
      approvals.goOn();
      const began = performance.now();
      await isHeld(arena, genuine.runId, WITHIN_MS);
      const took = performance.now() - began;
      console.log(`${broker}: a genuine request behind ${FORGED} ${which} was answered in ${Math.round(took)} ms`);
      expect(channels()).toBe(before);

      // The outbox contains no message that approvals would send again.
      const own = `tb:outbox.approvals:{${runId.slice(3, 5)}}`;
      await arena.until("the outbox to be empty", async () => ((await arena.eye.redis("ZCARD", own)) === 0 ? true : null));
      expect((await fetch(arena.approvals("/readyz"))).status).toBe(200);
      await Promise.all([arena.decide(write, "deny"), arena.decide(genuine, "deny")]);
    },
    300_000,
  );

  it(`${FORGED} calls with an answer for that agent block no call behind them`, async () => {
    const asked = await arena.asked("read", { payee: "BAKERY", amount: 1 });
    await arena.ended(asked.runId);
    const call = await arena.stored(keys.call(asked.callId));
    const worker = halted(system, "tool-executor");
    await arena.as("agent").broker((bus) => bus.flood(callsToAnswer(call, asked.callId)));
    const genuine = await arena.asked("read", { payee: "BAKERY", amount: 1 });
    await sent(arena, genuine.runId);
    const before = channels();
    worker.goOn();
    const began = performance.now();
    await arena.ended(genuine.runId);
    const took = performance.now() - began;
    console.log(`${broker}: a genuine call behind ${FORGED} that are to be answered elsewhere was answered in ${Math.round(took)} ms`);
    expect(took).toBeLessThan(WITHIN_MS);
    expect(channels()).toBe(before);
    await arena.until("their outcome", () =>
      linesOf(system, /to which this worker may not publish.*became a dead letter/).length >= 30 ? true : null,
    );
  }, 120_000);

  /** Returns how often the bus lost the channel on which it publishes everything. */
  function channels(): number {
    return linesOf(system, /"channel":"publishing".*a channel was closed/).length;
  }
});

function* requests(call: JsonObject, runId: string): Generator<Message> {
  const { toolName, toolVersion, toolHash, arguments: args, conversationId: sessionId } = call;
  for (let n = 0; n < FORGED; n++) {
    const toolCallId = callIdOf(runId, 10 + n, 0);
    yield forgedMessage({
      id: `approval.request:${toolCallId}`,
      topic: topics.approvalRequest,
      type: messageTypes.approvalRequest,
      correlationId: textIn(toolCallId),
      attributes: { [attributes.agent]: `nobody-${n}` },
      body: { toolCallId, toolName, toolVersion, toolHash, arguments: args, sessionId },
    });
  }
}

function* callsToAnswer(call: JsonObject, callId: string): Generator<Message> {
  for (let n = 0; n < FORGED; n++)
    yield { ...invokeOf(call, callId.replace(/\d+\.\d+$/, `${20 + n}.0`)), replyTo: topics.result(`nobody-${n}`) };
}
