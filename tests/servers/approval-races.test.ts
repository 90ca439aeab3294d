import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { connectState } from "@toolbus/state";
import { describeOnServer } from "@toolbus/testing/servers";
import { describe, expect, it } from "vitest";
import { type Answered, EXPIRY_MS, racingApprovals, textOf } from "./racing-approvals.ts";
import { redisSpace } from "./redis-space.ts";
import { randomFrom } from "../fuzz/random.ts";

/** The number of trials on each store. */
const TRIALS = process.env["LONG_PROOFS"] === undefined ? 150 : process.env["LONG_PROOFS"] === "ci" ? 1000 : 10_000;
const SEED = 20_261_125;
const ENDS = ["approved", "rejected", "revision_requested", "expired", "cancelled"];

type Racing = Awaited<ReturnType<typeof racingApprovals>>;
/**
 * One trial of a race. Returns the name of the side that was first. Each race has two sides. Over all trials, each side must be first at least once.
 */
type Race = (t: Racing, random: () => number) => Promise<string>;

const pick = (random: () => number, count: number): number => Math.floor(random() * count);

/** Lets some turns of the event loop pass, so that either side may be first. */
async function turns(count: number): Promise<void> {
  for (let n = 0; n < count; n++) await new Promise((resolve) => setImmediate(resolve));
}

/** Returns how many turns each of two sides waits. In most trials, they begin almost at the same time. In the others, one
 * of them has a head start. */
function headStart(random: () => number): readonly [number, number] {
  const ahead = random() < 0.6 ? 1 : pick(random, 40);
  return random() < 0.5 ? [0, ahead] : [ahead, 0];
}

const RACES: Readonly<Record<string, { readonly sides: readonly string[]; readonly race: Race }>> = {
  "approve against deny": {
    sides: ["approved", "rejected"],
    async race(t, random) {
      const id = await t.hold(100);
      const [amy, ben] = [
        { decision: "approve", token: await t.token("amy", id) },
        { decision: "deny", token: await t.token("ben", id) },
      ];
      const [first, second] = [pick(random, 2), pick(random, 2)];
      const [forAmy, forBen] = headStart(random);
      const sides = [
        turns(forAmy).then(() => t.decide(first, "amy", id, amy)),
        turns(forBen).then(() => t.decide(second, "ben", id, ben)),
      ] as const;
      const answers = await Promise.all(sides);
      const final = await finalOf(t, id);
      expect(answers.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([200, 409]);
      const winner = answers[0].status === 200 ? { who: "amy", body: amy } : { who: "ben", body: ben };
      expect(final).toBe(winner.who === "amy" ? "approved" : "rejected");
      await repeats(
        answers.find(({ status }) => status === 200),
        () => t.decide(pick(random, 2), winner.who as "amy", id, winner.body),
      );
      expect(answers.find(({ status }) => status === 409)?.body["errors"]).toEqual([{ path: "/status", message: final }]);
      return final;
    },
  },
  "approve against the expiry": {
    sides: ["approved", "expired"],
    async race(t, random) {
      const id = await t.hold(100);
      const body = { decision: "approve", token: await t.token("amy", id) };
      const posted = t.decide(pick(random, 2), "amy", id, body);
      await turns(pick(random, random() < 0.6 ? 4 : 60));
      t.clock.now += EXPIRY_MS + 1;
      const answer = await posted;
      const final = await finalOf(t, id);
      expect({ status: answer.status, final }).toEqual(
        answer.status === 200 ? { status: 200, final: "approved" } : { status: 410, final: "expired" },
      );
      await repeats(answer, () => t.decide(pick(random, 2), "amy", id, body));
      return final;
    },
  },
  "two approvers of a critical write": {
    sides: ["amy", "ben"],
    async race(t, random) {
      const id = await t.hold(5000);
      const bodies = {
        amy: { decision: "approve", token: await t.token("amy", id), ticket: "T-1" },
        ben: { decision: "approve", token: await t.token("ben", id), ticket: "T-2" },
      };
      const answers = await Promise.all(
        (["amy", "ben"] as const).map((who) => turns(pick(random, 6)).then(() => t.decide(pick(random, 2), who, id, bodies[who]))),
      );
      expect(
        answers.map(({ status, body }) => `${status} ${textOf(body["status"])}`).toSorted((one, other) => one.localeCompare(other)),
      ).toEqual(["200 approved", "200 pending"]);
      expect(await finalOf(t, id)).toBe("approved");
      await repeats(answers[0], () => t.decide(pick(random, 2), "amy", id, bodies.amy));
      await repeats(answers[1], () => t.decide(pick(random, 2), "ben", id, bodies.ben));
      return answers[0]?.body["status"] === "pending" ? "amy" : "ben";
    },
  },
  "an edit against an approval of the card": {
    sides: ["edited", "as asked"],
    async race(t, random) {
      const id = await t.hold(100);
      const asked = textOf((await t.seen(id))[0]?.["argumentsHash"]);
      const bodies = {
        amy: { decision: "approve", token: await t.token("amy", id), argumentsHash: asked },
        ben: { decision: "approve", token: await t.token("ben", id), argumentsHash: asked, arguments: { amount: 90 } },
      };
      const [forAmy, forBen] = headStart(random);
      const answers = await Promise.all([
        turns(forAmy).then(() => t.decide(pick(random, 2), "amy", id, bodies.amy)),
        turns(forBen).then(() => t.decide(pick(random, 2), "ben", id, bodies.ben)),
      ]);
      expect(answers.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([200, 409]);
      const winner = answers[0].status === 200 ? "amy" : "ben";
      expect(await finalOf(t, id)).toBe("approved");
      for (const { arguments: args, decisions } of await t.seen(id)) {
        expect(args).toEqual({ amount: winner === "amy" ? 100 : 90 });
        expect(decisions).toMatchObject([{ approver: winner }]);
      }
      await repeats(
        answers.find(({ status }) => status === 200),
        () => t.decide(pick(random, 2), winner, id, bodies[winner]),
      );
      return winner === "amy" ? "as asked" : "edited";
    },
  },
  "a double click": {
    sides: ["approved", "rejected"],
    async race(t, random) {
      const id = await t.hold(100);
      const decision = random() < 0.5 ? "approve" : "deny";
      const body = { decision, token: await t.token("amy", id) };
      const clicks = Array.from({ length: 2 + pick(random, 3) }, () =>
        turns(pick(random, 4)).then(() => t.decide(pick(random, 2), "amy", id, body)),
      );
      const answers = await Promise.all(clicks);
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
      expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
      return finalOf(t, id);
    },
  },
  "a webhook that is repeated, against a person": {
    sides: ["webhook", "person"],
    async race(t, random) {
      const id = await t.hold(100);
      const body = { decision: "deny", token: await t.token("ben", id) };
      const hook = t.hook({ approval: id, decision: "approve", approver: "U1" });
      // A webhook takes longer to reach its decision than a person's request, because the service first looks up the approval.
      const [forHook, forPerson] = random() < 0.5 ? [0, pick(random, 600)] : [pick(random, 40), 0];
      const sent = Array.from({ length: 2 + pick(random, 2) }, () => turns(forHook + pick(random, 4)).then(() => hook(pick(random, 2))));
      const person = turns(forPerson).then(() => t.decide(pick(random, 2), "ben", id, body));
      const [answers, other] = [await Promise.all(sent), await person];
      const final = await finalOf(t, id);
      const first = final === "approved" ? "webhook" : "person";
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([first === "webhook" ? 200 : 409]));
      expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
      expect(other.status).toBe(first === "person" ? 200 : 409);
      await repeats(answers[0], () => hook(pick(random, 2)));
      return first;
    },
  },
};

/** Returns how the approval ended. Checks that both replicas, the audit and the agent have this outcome, and that it is reported only once. */
async function finalOf(t: Racing, id: string): Promise<string> {
  const seen = await t.seen(id);
  const final = textOf(seen[0]?.["status"]);
  expect(seen.map(({ status }) => status)).toEqual([final, final]);
  expect((await t.audit(id)).filter((event) => ENDS.includes(event))).toEqual([final]);
  await expect.poll(() => t.told(id), { interval: 1, timeout: 10_000 }).toEqual([final]);
  return final;
}

/** Expects that a repeat of the request receives the same answer as before. */
async function repeats(before: Answered | undefined, again: () => Promise<Answered>): Promise<void> {
  const { status, text } = await again();
  expect({ status, text }).toEqual({ status: before?.status, text: before?.text });
}

/** Runs all trials in a random order that the seed fixes, and requires that each side of each race was first at least once. */
async function allTrials(t: Racing): Promise<void> {
  const random = randomFrom(SEED).next;
  const names = Object.keys(RACES);
  const firsts = new Map<string, number>();
  for (let trial = 0; trial < TRIALS; trial++) {
    const name = names[pick(random, names.length)] ?? "";
    const first = await RACES[name]?.race(t, random);
    firsts.set(`${name}: ${first}`, (firsts.get(`${name}: ${first}`) ?? 0) + 1);
  }
  const table = names.flatMap((name) =>
    (RACES[name]?.sides ?? []).map((side) => [`${name}: ${side}`, firsts.get(`${name}: ${side}`) ?? 0]),
  );
  console.log(`${TRIALS} races: ${table.map(([side, count]) => `${side} ${count}`).join(", ")}`);
  expect(table.filter(([, count]) => count === 0)).toEqual([]);
}

describeOnServer("redis", "decisions that race, with two replicas of approvals on Redis", (server) => {
  const space = redisSpace(server);

  it("have one outcome, and the same request has the same answer", { timeout: 3_600_000 }, async () => {
    await using t = await racingApprovals(async (clock) => {
      const connect = () => space.connect("races", { clock, clockForAll: true });
      return [await connect(), await connect()];
    });
    await allTrials(t);
  });
});

describe("decisions that race, with two services of approvals on SQLite", () => {
  it("have one outcome, and the same request has the same answer", { timeout: 3_600_000 }, async () => {
    const folder = await mkdtemp(path.join(os.tmpdir(), "races-store-"));
    try {
      await using t = await racingApprovals(async (clock) => {
        const store = await connectState(`sqlite:${folder}`, { clock });
        return [store, store];
      });
      await allTrials(t);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});
