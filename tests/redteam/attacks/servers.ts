import { keys, messageTypes, rollbackMessage, shardOf, topics } from "@toolbus/contracts";
import { signMessage } from "@toolbus/grants";
import { type Arena, type Attacker, forgedMessage } from "../arena.ts";
import { type Attack, both, dropped, type Expected, held, reached, residual, server, serverOr } from "../attack.ts";
import { ask } from "../http.ts";
import type { RawBus } from "../raw-bus.ts";
import { textIn } from "../text-in.ts";

const R5 = residual("R5");
const R7 = residual("R7");
const R8 = residual("R8");
const AHEAD_MS = 10;

/** Attacks that test the rights of a login on the servers themselves. */
export const servers: readonly Attack[] = [
  administered("Redis is made a replica of nobody", ["REPLICAOF", "NO", "ONE"]),
  administered(
    "Redis stops to keep what it acknowledges",
    ["CONFIG", "SET", "appendfsync", "no"],
    ["CONFIG", "SET", "appendfsync", "always"],
  ),
  administered(
    "a user of Redis who may do everything is made",
    ["ACL", "SETUSER", "eve", "on", ">secret", "~*", "+@all"],
    ["ACL", "DELUSER", "eve"],
  ),
  administered("the whole store may be emptied", ["ACL", "DRYRUN", "default", "FLUSHALL"]),
  administered(
    "a script writes what its caller may not",
    ["EVAL", "return redis.call('SET', 'tb:pin:{00}:eve', 'x')", "0"],
    ["DEL", "tb:pin:{00}:eve"],
  ),
  {
    name: "the worker of another toolset reads the secret of a call",
    attacker: "neighbour",
    expected: { own: server, shared: R5 },
    async run(arena) {
      const write = await arena.held("high", { payee: "BAKERY", amount: 91 });
      try {
        const { secret } = await arena.as("neighbour").look(keys.call(write.callId));
        return secret === undefined ? held("there was none") : reached("the secret was read", "R5");
      } finally {
        await arena.decide(write, "deny");
      }
    },
  },
  {
    name: "the audit of decisions is cut",
    attacker: "agent",
    expected: { own: server, shared: R8 },
    async run(arena) {
      const { callId } = await arena.done("high", { payee: "BAKERY", amount: 92 });
      await arena.as("agent").redis("LTRIM", `${keys.audit(shardOf(callId))}#log`, "0", "0");
      return reached("its entries are gone", "R8");
    },
  },
  {
    name: "the security records of approvals are cut",
    attacker: "worker",
    expected: { own: server, shared: R8 },
    async run(arena) {
      await arena.as("worker").redis("DEL", `${keys.security("0f", "approvals")}#log`);
      return reached("they are gone", "R8");
    },
  },
  {
    name: "the outbox of approvals is given a row of somebody else's, for an approval that waits",
    attacker: "neighbour",
    expected: serverOr(dropped(/had no message and was removed/)),
    async run(arena) {
      const write = await arena.held("high", { payee: "BAKERY", amount: 93 });
      const shard = shardOf(write.callId);
      const row = { approvalId: write.approvalId, n: 99, at: Date.now(), answer: "decided" };
      const neighbour = arena.as("neighbour");
      const id = `eve:${write.approvalId}`;
      await neighbour.redis(
        "HSET",
        `tb:outbox.approvals:{${shard}}#rows`,
        id,
        `${JSON.stringify(row)}\n${topics.approvalDecided("default")}`,
      );
      await neighbour.redis("ZADD", `tb:outbox.approvals:{${shard}}`, "1", id);
      await arena.until("approvals' line", () =>
        arena.system.lines().some((line) => line.includes(write.approvalId) && line.includes("was removed")) ? true : null,
      );
      const { status } = await arena.stored(keys.approval(write.approvalId));
      await arena.decide(write, "deny");
      return status === "pending" ? held("it is still pending") : reached(`it is ${textIn(status)}`);
    },
  },
  {
    name: "the outbox of the agent is given a cancel, which the agent then signs",
    attacker: "neighbour",
    expected: { own: server, shared: R7 },
    async run(arena) {
      const write = await arena.held("high", { payee: "BAKERY", amount: 94 });
      const shard = shardOf(write.callId);
      const message = forgedMessage({
        id: `approval.cancel:${write.callId}#outbox`,
        topic: topics.approvalCancel,
        type: messageTypes.approvalCancel,
        correlationId: write.callId,
        attributes: { "toolbus-agent": "default" },
        body: { toolCallId: write.callId, reason: "not_needed" },
      });
      const neighbour = arena.as("neighbour");
      await neighbour.redis("HSET", `tb:outbox.agent:{${shard}}#rows`, "eve", `${JSON.stringify(message)}\n${topics.approvalCancel}`);
      await neighbour.redis("ZADD", `tb:outbox.agent:{${shard}}`, "1", "eve");
      await arena.ended(write.runId);
      const { status } = await arena.stored(keys.approval(write.approvalId));
      return status === "cancelled"
        ? reached("the approval was cancelled: nobody is asked any more, and nothing is granted", "R7")
        : held(`it is ${textIn(status)}`);
    },
  },
  {
    name: "an approval is made to expire before its time, by a timer",
    attacker: "agent",
    expected: { own: server, shared: both(dropped(/./)).shared },
    async run(arena) {
      const write = await arena.held("high", { payee: "BAKERY", amount: 95 });
      const name = `tb:timers.approvals:{${shardOf(write.callId)}}`;
      const [id = ""] = ((await arena.eye.redis("ZRANGE", name, "0", "-1")) as readonly string[]).filter((each) =>
        each.includes(write.callId),
      );
      await arena.as("agent").redis("ZADD", name, "1", id);
      // The timer has its own time again when approvals has claimed and corrected it.
      await arena.until("the timer to be set right", async () =>
        Number(await arena.eye.redis("ZSCORE", name, id)) > Date.now() ? true : null,
      );
      const { status } = await arena.decide(write, "deny");
      return status === 200 ? held("a person could still decide it") : reached(`the decision was answered ${status}`);
    },
  },
  {
    name: "the store's time is set ahead for everybody",
    attacker: "agent",
    expected: { own: server, shared: R7 },
    async run(arena) {
      // The store's clock never moves back. So the change is small enough that nothing expires.
      const time = `${AHEAD_MS} ${Date.now()}`;
      await arena.as("agent").redis("SET", "tb:clock", time);
      return reached(`it is ${AHEAD_MS} ms ahead`, "R7");
    },
  },
  stolenReplay("a dead letter is replayed by somebody who is not asked to", "neighbour"),
  onBroker("the messages of a queue are taken away", "neighbour", R7, (bus) => bus.purge(topics.approvalCancel)),
  onBroker("a message is taken from the queue of another service", "neighbour", R7, (bus) => bus.take(topics.approvalDecided("default"))),
  onBroker("a queue of dead letters is deleted", "agent", R7, (bus) => bus.remove(topics.dead(topics.approvalRollback))),
  onBroker("what another login is told is overheard", "neighbour", R5, (bus) => bus.overhear("toolbus-agent")),
  {
    name: "calls with their secrets and grants are read along",
    attacker: "neighbour",
    expected: { own: server, shared: R5 },
    async run(arena) {
      const reading = await arena.as("neighbour").broker((bus) => bus.readAlong(topics.invoke("payments")));
      await arena.done("high", { payee: "BAKERY", amount: 96 });
      return (await reading.end()) ? reached("a copy of the call came", "R5") : held("nothing came");
    },
  },
];

/** An attack that sends a command that only the server's operator should send. `undo` is the command that reverses it. */
function administered(name: string, words: readonly string[], undo?: readonly string[]): Attack {
  return {
    name,
    attacker: "agent",
    expected: { own: server, shared: R7 },
    async run(arena) {
      const answer = await arena.as("agent").redis(...words);
      if (undo) await arena.eye.redis(...undo);
      return reached(`${words.slice(0, 2).join(" ")} was answered ${textIn(answer)}`, "R7");
    },
  };
}

function onBroker(name: string, attacker: Exclude<Attacker, "http">, shared: Expected, act: (bus: RawBus) => Promise<void>): Attack {
  return {
    name,
    attacker,
    expected: { own: server, shared },
    async run(arena) {
      await arena.as(attacker).broker(act);
      return reached("the broker did it", shared.by === "residual" ? shared.number : undefined);
    },
  };
}

function stolenReplay(name: string, attacker: Exclude<Attacker, "http">): Attack {
  return {
    name,
    attacker,
    expected: serverOr(dropped(/a replay of a missing dead letter, or one that nobody requested, is dropped/)),
    async run(arena: Arena) {
      const letterId = "dl_03_01JD0000000000000000000001";
      await arena.as(attacker).publish(
        forgedMessage({
          id: `replay:${letterId}#1`,
          topic: topics.operationsReplay,
          type: messageTypes.operationsReplay,
          body: { letterId },
        }),
      );
      return held("nothing was replayed", letterId);
    },
  };
}

/** Attacks with rights that every service needs, so a compromised service has them too. They are last because they disturb the other attacks. */
export const disturbances: readonly Attack[] = [
  {
    name: "ten notices that the store lost writes, signed with the agent's own genuine key",
    attacker: "agent",
    expected: both(residual("P7")),
    async run(arena) {
      const before = await eraNow(arena);
      const identity = await arena.as("agent").identity();
      const raisedBefore = linesOf(arena, /the era was raised/);
      for (let n = 1; n <= 10; n++) {
        const losses = [{ shard: "05", seenAt: Date.now() }];
        const notice = rollbackMessage({ losses, source: "agent", id: `lie-${Date.now()}-${n}`, now: Date.now() });
        await arena.as("agent").publish(await signMessage(notice, identity));
      }
      const after = await arena.until("the era to be raised", async () => ((await eraNow(arena)) === before ? null : await eraNow(arena)));
      await resumed(arena);
      await arena.done("high", { payee: "BAKERY", amount: 98 });
      const times = linesOf(arena, /the era was raised/) - raisedBefore;
      return times === 1
        ? reached(`the era was raised once, to ${after}, and one shard held until an operator resumed it`, "P7")
        : reached(`the era was raised ${times} times`);
    },
  },
  {
    name: "an older era is put back, so that earlier grants count again",
    attacker: "agent",
    expected: serverOr(dropped(/the era was raised: the store lost writes/)),
    async run(arena) {
      const underWay = await arena.underWay("high", { payee: "BAKERY", amount: 99 });
      await underWay.finish();
      const key = keys.era();
      const { operator } = arena.system.people;
      const raise = async (): Promise<unknown> =>
        ask(arena.approvals("/v1/era/raise"), operator, { era: await eraNow(arena), reason: "an exercise" });
      await raise();
      const older = await arena.eye.text(key);
      await raise();
      const raised = await eraNow(arena);
      try {
        await arena.as("agent").putBack(key, older);
      } catch (error) {
        await resumed(arena);
        throw error;
      }
      // The next reader finds the older era. Approvals then reports that the store has lost the newer era, and raises the era again.
      await arena.asked("high", { payee: "BAKERY", amount: 100 });
      const now = await arena.until("the era to be raised again", async () => {
        const found = await eraNow(arena).catch(() => 0);
        return found > raised ? found : null;
      });
      await resumed(arena);
      return held(`the era is ${now}, and was ${raised}`);
    },
  },
  {
    name: "the commit counter of a shard is set to text",
    attacker: "agent",
    expected: both(dropped(/the era was raised/)),
    async run(arena) {
      const { body } = await ask(arena.approvals("/v1/era"), arena.system.people.operator);
      const lost = (body["lost"] as readonly { readonly shard: string }[]).map(({ shard }) => shard);
      // If the era was raised for a shard within the last minute, the shard waits for the rest of that minute. Other attacks have raised it for some
      // shards.
      const runId = await arena.until("a run in a shard that lost nothing", async () => {
        const run = await arena.done("high", { payee: "BAKERY", amount: 97 });
        return lost.includes(shardOf(run.runId)) ? null : run.runId;
      });
      const counter = `tb:commits:{${shardOf(runId)}}`;
      const era = body["era"];
      await arena.as("agent").redis("SET", counter, "nonsense");
      // The next commit in the shard finds the text. A person's next run in the shard makes such a commit.
      await arena.until("the counter to count again", async () => {
        // The client of the first commit in the shard must repeat its request.
        await arena.asked("read", { payee: "BAKERY", amount: 1 }).catch(() => undefined);
        return /^\d+$/.test(String(await arena.eye.redis("GET", counter))) ? true : null;
      });
      await arena.until("the era to be raised", async () => ((await eraNow(arena)) === era ? null : true));
      await resumed(arena);
      return held("it was told, and counts again");
    },
  },
];

async function eraNow(arena: Arena): Promise<number> {
  return Number((await ask(arena.approvals("/v1/era"), arena.system.people.operator)).body["era"]);
}

function linesOf(arena: Arena, words: RegExp): number {
  return arena.system.lines().filter((line) => words.test(line)).length;
}

async function resumed(arena: Arena): Promise<void> {
  const { status, body } = await ask(arena.approvals("/v1/era/resume"), arena.system.people.operator, {});
  if (status !== 200) throw new Error(`Approvals answered ${status}: ${JSON.stringify(body)}`);
}
