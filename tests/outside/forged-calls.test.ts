import { attributes, type JsonObject, keys, type Message } from "@toolbus/contracts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Arena, openArena } from "../redteam/arena.ts";
import { granted, invokeOf } from "../redteam/attacks/calls.ts";
import { securityRecords } from "../redteam/security-events.ts";
import { textIn } from "../redteam/text-in.ts";
import { BROKERS, startSystemUnderAttack, type SystemUnderAttack } from "../redteam/system.ts";
import { halted, sent } from "./queue-floods.ts";

const FORGED = 10_000;
const GENUINE = 5;
const WITHIN_MS = 5000;

describe.each(BROKERS)("a worker whose queue is full of forged calls, on %s", (broker) => {
  let system: SystemUnderAttack;
  let arena: Arena;
  beforeAll(async () => {
    system = await startSystemUnderAttack(broker, "shared");
    arena = await openArena(system);
  });
  afterAll(async () => {
    await arena?.close();
    await system?.stop();
  });

  it.each(["without a version", "of a version that was never registered"] as const)(
    `answers the calls behind ${FORGED} of a tool that it does not have, %s, within ${WITHIN_MS / 1000} s`,
    async (which) => {
      const { callId, runId } = await arena.asked("read", { payee: "BAKERY", amount: 1 });
      await arena.ended(runId);
      const call = await arena.stored(keys.call(callId));
      const worker = halted(system, "tool-executor");
      await arena.as("agent").broker((bus) => bus.flood(unknownTools(call, callId, which)));
      const runs = await Promise.all(Array.from({ length: GENUINE }, () => arena.asked("read", { payee: "BAKERY", amount: 1 })));
      for (const run of runs) await sent(arena, run.runId);
      worker.goOn();
      const began = performance.now();
      await Promise.all(runs.map((run) => arena.ended(run.runId)));
      const answered = performance.now() - began;
      console.log(
        `${broker}: ${GENUINE} genuine calls behind ${FORGED} of an unknown tool ${which} were answered in ${Math.round(answered)} ms`,
      );
      expect(answered).toBeLessThan(WITHIN_MS);
    },
    180_000,
  );

  it(`answers the calls behind ${FORGED} of them within ${WITHIN_MS / 1000} s, and counts each of them`, async () => {
    const underWay = await arena.underWay("high", { payee: "BAKERY", amount: 41 });
    await underWay.finish();
    const { call, write } = underWay;
    const before = system.target.journal().length;

    // All messages must be in the queue before the worker may continue.
    const worker = halted(system, "tool-executor");
    let runs: readonly { readonly runId: string }[];
    try {
      await arena.as("agent").broker((bus) => bus.flood(forgedCalls(call, write.callId)));
      runs = await Promise.all(Array.from({ length: GENUINE }, () => arena.asked("read", { payee: "BAKERY", amount: 1 })));
      for (const { runId } of runs) await sent(arena, runId);
    } finally {
      worker.goOn();
    }
    const began = performance.now();

    await Promise.all(runs.map(({ runId }) => arena.ended(runId)));
    const answered = performance.now() - began;

    // The worker logs the count of the events that it did not store whole at the end of the minute, or when it stops.
    await worker.stop();
    const { whole, leftOut } = await recorded(arena);
    console.log(
      `${broker}: ${GENUINE} genuine calls behind ${FORGED} forged were answered in ${Math.round(answered)} ms; ` +
        `${whole} security events, and ${leftOut} more by number`,
    );
    expect(whole + leftOut).toBe(FORGED);
    expect(whole).toBeLessThan(200);
    expect(system.target.journal()).toHaveLength(before);
    expect(answered).toBeLessThan(WITHIN_MS);
  }, 180_000);
});

function* unknownTools(
  call: JsonObject,
  callId: string,
  which: "without a version" | "of a version that was never registered",
): Generator<Message> {
  for (let n = 0; n < FORGED; n++) {
    const id = callId.replace(/\d+\.\d+$/, `${20 + Math.floor(n / 32)}.${n % 32}`);
    const message = invokeOf(call, id, { toolName: `unheard_of_${n}` });
    const { [attributes.toolVersion]: _, ...named } = message.attributes;
    yield which === "without a version" ? { ...message, attributes: named } : message;
  }
}

/** Half of these calls have no grant. The other half have the genuine grant of another call, with a wrong signature. */
function* forgedCalls(call: JsonObject, callId: string): Generator<Message> {
  const grant = `${textIn(call["grant"]).slice(0, -8)}AAAAAAAA`;
  for (let n = 0; n < FORGED; n++) {
    const message = invokeOf(call, callId.replace(/\d+\.\d+$/, `${1000 + Math.floor(n / 1000)}.${n % 1000}`));
    yield n % 2 === 0 ? message : granted(message, grant);
  }
}

/** Returns how many security events the worker stored whole, and how many more it only counted. */
async function recorded({ system }: Arena): Promise<{ readonly whole: number; readonly leftOut: number }> {
  await using records = await securityRecords(system.admin.stateUrl);
  const entries = (await records.fresh()).filter(({ service }) => service === "worker.payments").map(({ entry }) => entry["leftOut"]);
  const numbers = entries.filter((leftOut) => typeof leftOut === "number");
  return { whole: entries.length - numbers.length, leftOut: numbers.reduce((sum, leftOut) => sum + leftOut, 0) };
}
