import { NotPermitted } from "@toolbus/bus";
import { isJsonObject, type JsonObject, type Message, topics } from "@toolbus/contracts";
import { verifySender } from "@toolbus/grants";
import type { Change, StateStore } from "@toolbus/state";
import { describe, expect, it } from "vitest";
import { setup, until } from "../testing/approvals-under-test.ts";
import { ANSWERS_PER_MINUTE, refuseUnasked, STRANGERS_PER_MINUTE } from "./unasked.ts";
import { type Asked, own, smallRefund } from "../testing/writes-under-test.ts";

const FLOOD = 1000;
const SHARD = "03";
const forged = (n: number): Asked => ({ ...smallRefund(1), callId: `rn_${SHARD}_01HZX3V5J8K2M4N6P8Q0R2S4T9.${n}.0` });

describe("a request for a write of a run that nobody asked for", () => {
  it("is refused in words, and only a security event is stored", async () => {
    const commits: Change[] = [];
    await using t = await setup({ wrapStore: (store) => watched(store, commits) });
    await t.ask(smallRefund(1));
    await t.decided.next();
    commits.length = 0;
    const id = await t.ask(forged(1));
    const { body, message } = await t.decided.next();
    expect(body).toMatchObject({
      approvalId: id,
      outcome: "refused",
      decidedBy: [],
      reason: expect.stringMatching(/No request of a person/),
    });
    expect(message).toMatchObject({ topic: "approval.decided.default", correlationId: forged(1).callId });
    await until(async () => (await t.security(SHARD)).length > 0);
    expect(await t.security(SHARD)).toMatchObject([
      { kind: "message_refused", approvalId: id, by: "default", details: { topic: topics.approvalRequest, why: "no_origin" } },
    ]);
    expect(commits).toHaveLength(1);
    expect(await t.audit(SHARD)).toMatchObject([{ event: "approved" }]);
  });

  it("is answered again when it is repeated", async () => {
    await using t = await setup();
    for (let n = 0; n < 2; n++) {
      await t.ask(forged(1));
      expect((await t.decided.next()).body).toMatchObject({ outcome: "refused" });
      t.clock.now += 1;
    }
  });

  it(`leaves no document of ${FLOOD}, counts each of them, answers the first, and a genuine one behind them is granted`, async () => {
    const commits: Change[] = [];
    const looked = new Set<string>();
    await using t = await setup({ wrapStore: (store) => watched(store, commits, looked) });
    await t.ask(smallRefund(1));
    await t.decided.next();
    commits.length = 0;
    looked.clear();
    for (let n = 1; n <= FLOOD; n++) await t.ask(forged(n));
    for (let n = 1; n <= ANSWERS_PER_MINUTE; n++) expect((await t.decided.next()).body).toMatchObject({ outcome: "refused" });
    await until(async () => looked.size === FLOOD);
    // Approvals reports how many events were left out when it stops.
    await t.restart();
    expect((await t.security(SHARD)).reduce((sum, event) => sum + countOf(event), 0)).toBe(FLOOD);
    expect(commits.length).toBeLessThanOrEqual(32);
    expect(commits.flatMap(({ outbox = [], timers = [] }) => [...outbox, ...timers])).toEqual([]);
    expect(new Set(commits.flatMap(({ put = [] }) => put.map(({ key }) => key)))).toEqual(
      new Set([`tb:security:{${SHARD}}:approvals.head`]),
    );
    await t.ask(smallRefund(2));
    expect((await t.decided.next()).body).toMatchObject({ outcome: "approved" });
  });

  it("does not block others when it names an agent that nobody runs", async () => {
    await using t = await setup();
    await t.ask({ ...forged(1), agent: "nobody" });
    await until(async () => (await t.security(SHARD)).length > 0);
    expect(await t.security(SHARD)).toMatchObject([{ kind: "message_refused", by: "nobody" }]);
  });

  it("is answered with the signature of approvals", async () => {
    const answers: Message[] = [];
    const refuse = refuseUnasked({
      bus: { publish: async (message) => void answers.push(message) },
      identity: own.identityOf("approvals"),
      security: async () => undefined,
      monotonic: () => 0,
    });
    await refuse({ request: { toolCallId: forged(1).callId, toolHash: "sha256-x" }, agent: "default", now: 0 });
    const verdicts = await Promise.all(answers.map((answer) => verifySender(answer, own.trusted)));
    expect(verdicts).toEqual([{ kind: "genuine", service: "approvals" }]);
  });

  it("makes the broker check only a few agents per minute, while a known agent is still answered", async () => {
    const asked: string[] = [];
    const refuse = refuseUnasked({
      bus: {
        async publish({ topic }) {
          asked.push(topic);
          if (topic !== "approval.decided.default") throw new NotPermitted("This login may not publish there.");
        },
      },
      identity: own.identityOf("approvals"),
      security: async () => undefined,
      monotonic: () => 0,
    });
    const request = (n: number) => ({ toolCallId: forged(n).callId ?? "", toolHash: "sha256-x" });
    await refuse({ request: request(0), agent: "default", now: 0 });
    for (let n = 1; n <= 100; n++) await refuse({ request: request(n), agent: `nobody-${n}`, now: 0 });
    await refuse({ request: request(101), agent: "default", now: 0 });
    expect(asked).toHaveLength(STRANGERS_PER_MINUTE + 1);
    expect(asked.at(-1)).toBe("approval.decided.default");
  });
});

/** Returns a store that records its commits, and in `looked` the approvals that were read. */
function watched(store: StateStore, commits: Change[], looked = new Set<string>()): StateStore {
  return {
    ...store,
    commit(shard, change) {
      // The chainer copies earlier records of the audit at the same time.
      if (!change.op.startsWith("chain")) commits.push(change);
      return store.commit(shard, change);
    },
    read(keys) {
      for (const key of keys) if (key.startsWith("tb:approval:")) looked.add(key);
      return store.read(keys);
    },
  };
}

/** Returns the number of events that an entry represents. */
function countOf({ details }: JsonObject): number {
  const leftOut = isJsonObject(details) ? details["leftOut"] : 1;
  return typeof leftOut === "number" ? leftOut : 1;
}
