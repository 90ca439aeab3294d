import { attributes, type Message, messageTypes, topics } from "@toolbus/contracts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Arena, forgedMessage, openArena } from "../redteam/arena.ts";
import { BROKERS, startSystemUnderAttack, type SystemUnderAttack } from "../redteam/system.ts";
import { halted, isHeld, linesOf, numberIn, sent } from "./queue-floods.ts";

const FORGED = process.env["LONG_PROOFS"] === undefined ? 2000 : 10_000;
const GENUINE = 5;
const WITHIN_MS = 5000;
/** A consumer publishes at most thirty dead letters per minute. The test allows three minutes, because the flood may continue into the next ones. */
const MOST_LETTERS = 90;

describe.each(BROKERS)("a queue full of unusable messages, on %s", (broker) => {
  let system: SystemUnderAttack;
  let arena: Arena;
  beforeAll(async () => {
    system = await startSystemUnderAttack(broker, "shared", { env: { LOG_LEVEL: "debug" } });
    arena = await openArena(system);
  });
  afterAll(async () => {
    await arena?.close();
    await system?.stop();
  });

  it(`of calls: a worker answers the calls behind ${FORGED}`, async () => {
    const worker = halted(system, "tool-executor");
    await flood(topics.invoke("payments"), invoke);
    const runs = await reads();
    for (const runId of runs) await sent(arena, runId);
    worker.goOn();
    await within("calls", () => Promise.all(runs.map(arena.ended)));
  }, 180_000);

  it(`of requests: approvals asks people about the writes behind ${FORGED}`, async () => {
    const approvals = halted(system, "approvals");
    await flood(topics.approvalRequest, request);
    const writes = await Promise.all(Array.from({ length: GENUINE }, () => arena.asked("high", { payee: "BAKERY", amount: 2 })));
    for (const { runId } of writes) await sent(arena, runId);
    approvals.goOn();
    await within("requests", () => Promise.all(writes.map(({ runId }) => isHeld(arena, runId))));
  }, 180_000);

  it(`of answers: the agent's runs continue with the answers behind ${FORGED}`, async () => {
    const worker = halted(system, "tool-executor");
    const runs = await reads();
    for (const runId of runs) await sent(arena, runId);
    const agent = halted(system, "agent");
    await flood(topics.result("default"), answer);
    const before = answers();
    worker.goOn();
    await arena.until("the answers to be sent", () => (answers() >= before + GENUINE ? true : null));
    agent.goOn();
    await within("answers", () => Promise.all(runs.map(arena.ended)));
  }, 180_000);

  it(`of wakes: the agent starts the runs behind ${FORGED}`, async () => {
    const agent = halted(system, "agent");
    await flood(topics.runWake, wake);
    const runs = await reads();
    agent.goOn();
    await within("wakes", () => Promise.all(runs.map(arena.ended)));
  }, 180_000);

  it("each become a dead letter or part of a count that an operator reads, and few become dead letters", async () => {
    for (const { process } of system.apart.replicas()) await process.stop();
    for (const topic of [topics.invoke("payments"), topics.approvalRequest, topics.result("default"), topics.runWake]) {
      const letters = linesOf(system, /a message became a dead letter/).filter((line) => line.includes(`"topic":"${topic}"`)).length;
      const dropped = linesOf(system, /faster than dead letters of them are kept/)
        .filter((line) => line.includes(`"topic":"${topic}"`))
        .reduce((sum, line) => sum + numberIn(line, "dropped"), 0);
      console.log(`${broker}: ${topic}: ${letters} dead letters, and ${dropped} more by number`);
      expect(letters).toBeLessThanOrEqual(MOST_LETTERS);
      // The sum may be higher, because the broker delivers some messages twice: it had already delivered them to the process before the pause.
      expect(letters + dropped).toBeGreaterThanOrEqual(FORGED);
      expect(letters + dropped).toBeLessThan(FORGED + 100);
    }
  }, 60_000);

  async function reads(): Promise<readonly string[]> {
    const asked = await Promise.all(Array.from({ length: GENUINE }, () => arena.asked("read", { payee: "BAKERY", amount: 1 })));
    return asked.map(({ runId }) => runId);
  }

  function flood(topic: string, wellFormed: (n: number) => Message): Promise<void> {
    return arena.as("agent").broker((bus) => bus.flood(illFormed(topic, wellFormed)));
  }

  async function within(what: string, work: () => Promise<unknown>): Promise<void> {
    const began = performance.now();
    await work();
    const took = performance.now() - began;
    console.log(`${broker}: ${GENUINE} genuine ${what} behind ${FORGED} ill-formed messages took ${Math.round(took)} ms`);
    expect(took).toBeLessThan(WITHIN_MS);
  }

  function answers(): number {
    return linesOf(system, /a tool call was answered/).length;
  }
});

/** Makes messages that are not JSON, have another type, break the schema, or name a missing shard. */
function* illFormed(topic: string, wellFormed: (n: number) => Message): Generator<Message> {
  for (let n = 0; n < FORGED; n++) {
    const message = { ...wellFormed(n), topic, id: `ill-formed-${topic}-${n}` };
    if (n % 4 === 0) yield { ...message, body: "{" };
    else if (n % 4 === 1) yield { ...message, type: "toolbus.other" };
    else if (n % 4 === 2) yield { ...message, body: JSON.stringify({ sessionId: 7 }) };
    else yield message;
  }
}

const callId = (n: number): string => `${RUN}.${1 + (n % 90)}.0`;
const RUN = "rn_ff_01ARZ3NDEKTSV4RRFFQ69G5FAV";
const SESSION = "cv_ff_01ARZ3NDEKTSV4RRFFQ69G5FAV";
const HASH = `sha256-${"A".repeat(43)}`;

function invoke(n: number): Message {
  return forgedMessage({
    id: "",
    topic: "",
    type: messageTypes.toolInvoke,
    correlationId: callId(n),
    replyTo: topics.result("default"),
    body: { toolCallId: callId(n), toolName: "read_balance", arguments: "{}", sessionId: SESSION },
  });
}

function request(n: number): Message {
  return forgedMessage({
    id: "",
    topic: "",
    type: messageTypes.approvalRequest,
    correlationId: callId(n),
    body: { toolCallId: callId(n), toolName: "send_payment", toolVersion: "1", toolHash: HASH, arguments: "{}", sessionId: SESSION },
  });
}

function answer(n: number): Message {
  return forgedMessage({
    id: "",
    topic: "",
    type: messageTypes.toolResult,
    correlationId: callId(n),
    attributes: { [attributes.secretHash]: HASH },
    body: { toolCallId: callId(n), toolName: "read_balance", content: "100", isError: false },
  });
}

function wake(): Message {
  return forgedMessage({ id: "", topic: "", type: messageTypes.runWake, body: { runId: RUN } });
}
