import { attributes, callIdOf, type JsonObject, keys, type Message, messageTypes, shardOf, topics } from "@toolbus/contracts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Arena, forgedMessage, openArena } from "../redteam/arena.ts";
import { startSystemUnderAttack, type SystemUnderAttack } from "../redteam/system.ts";
import { textIn } from "../redteam/text-in.ts";
import { residentMiB, watchMemory } from "./memory-of.ts";

const LONG = process.env["LONG_PROOFS"] !== undefined;
const REQUESTS = LONG ? (process.env["LONG_PROOFS"] === "ci" ? 2000 : 10_000) : 600;
/** The default of `PENDING_PER_REQUESTER`. */
const PLACES = 100;
/** The allowed growth of the memory in MiB. It is about 150 MiB for 600 requests, and V8 has not collected most of this memory yet. */
const MOST_MIB = 320;

describe.skipIf(process.platform !== "linux")(
  "an agent that asks people about everything (memory is read from /proc, so on Linux only)",
  () => {
    let system: SystemUnderAttack;
    let arena: Arena;
    beforeAll(async () => {
      system = await startSystemUnderAttack("nats", "own");
      arena = await openArena(system);
    });
    afterAll(async () => {
      await arena?.close();
      await system?.stop();
    });

    it(`has ${PLACES} of ${REQUESTS} writes of one requester wait, and approvals answers others from bounded memory`, async () => {
      const write = await arena.held("high", { payee: "BAKERY", amount: 41 });
      const call = await arena.stored(keys.call(write.callId));
      const approvals = system.apart.replicas().find(({ service }) => service === "approvals");
      const pid = approvals?.process.pid ?? 0;
      const before = residentMiB(pid);
      const flooded = watchMemory(pid);
      const began = performance.now();
      let slowest = 0;
      let asking = true;
      const asked = (async () => {
        while (asking) {
          const from = performance.now();
          expect((await fetch(arena.approvals("/healthz"), { signal: AbortSignal.timeout(5000) })).status).toBe(200);
          slowest = Math.max(slowest, performance.now() - from);
        }
      })();
      await arena.as("agent").broker((bus) => bus.flood(requests(call, write.runId)));

      // The agent still serves other users.
      const read = await arena.asked("read", { payee: "BAKERY", amount: 1 }, { as: "clerk" });
      expect((await arena.ended(read.runId)).at(-1)).toMatchObject({ type: "run.completed" });
      while ((await stored()) < REQUESTS + 1) expect(performance.now() - began).toBeLessThan(150_000);
      asking = false;
      await asked;

      const peak = flooded.end();
      const waiting = Number(await arena.eye.redis("ZCARD", `tb:index.approvals.pending:{${shardOf(write.runId)}}#index`));
      console.log(
        `${REQUESTS} writes of one requester: ${waiting} wait for people after ${Math.round(performance.now() - began)} ms; ` +
          `approvals had ${before} MiB before and ${peak} MiB at the most; /healthz within ${Math.round(slowest)} ms`,
      );
      expect(waiting).toBe(PLACES);
      expect(peak - before).toBeLessThan(MOST_MIB);
      expect(slowest).toBeLessThan(1000);
    }, 180_000);

    async function stored(): Promise<number> {
      return Number(await arena.eye.redis("EVAL", "return #redis.call('KEYS', 'tb:approval:*')", "0"));
    }
  },
);

/** Makes requests of a genuine run, each about another call. */
function* requests(call: JsonObject, runId: string): Generator<Message> {
  const { toolName, toolVersion, toolHash, arguments: args, conversationId: sessionId } = call;
  for (let n = 0; n < REQUESTS; n++) {
    const toolCallId = callIdOf(runId, 10 + Math.floor(n / 1000), n % 1000);
    yield forgedMessage({
      id: `approval.request:${toolCallId}`,
      topic: topics.approvalRequest,
      type: messageTypes.approvalRequest,
      correlationId: textIn(toolCallId),
      attributes: { [attributes.agent]: "default" },
      body: { toolCallId, toolName, toolVersion, toolHash, arguments: args, sessionId },
    });
  }
}
