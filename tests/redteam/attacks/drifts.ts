import { type JsonObject, keys } from "@toolbus/contracts";
import { canonicalJson, planHash } from "@toolbus/grants";
import type { Arena, Attacker, Held } from "../arena.ts";
import { type Attack, both, dropped, harmless, held, type Outcome, reached, residual, server, service, serverOr } from "../attack.ts";
import { driftedWrite, newPayee, plannedMessage, plannedWrite, storedPlans, timesOf } from "../planned-write.ts";
import { textIn } from "../text-in.ts";
import { changedApproval } from "./approval-documents.ts";
import { granted, invokeOf } from "./calls.ts";
import { afterwards, REFUSED, refusedOr, signedBy } from "./plans.ts";

/** Attacks on the plan that people approved: forged reports of a changed target, grants of other plans, and changed documents. */
export const drifts: readonly Attack[] = [
  forgedReport("an approved write is reopened without a proof", "agent", serverOr(REFUSED), async (arena, write) => ({
    said: { plan: await contentOf(arena, write), drifted: 1 },
    proof: null,
  })),
  forgedReport("an approved write is reopened with another toolset's key", "neighbour", both(REFUSED), async (arena, write) =>
    (await signedBy(arena, "neighbour", { drifted: 1 }))(write),
  ),
  forgedReport("an approved write is reopened with the genuine proof of its plan", "worker", both(REFUSED), async (arena, write) => ({
    said: { plan: await contentOf(arena, write), drifted: 1 },
    proof: textIn((await storedPlans(arena, write))[0]?.["proof"]),
  })),
  forgedReport("an approved write is ended by a made-up problem of its changed target", "worker", both(REFUSED), async (arena, write) => ({
    said: { problem: "It is gone.", drifted: 1 },
    proof: (await (await signedBy(arena, "nobody", { drifted: 1 }))(write)).proof,
  })),
  {
    name: "the genuine report of a changed target is sent again, after people have decided about it",
    attacker: "worker",
    expected: both(harmless),
    async run(arena) {
      const { write } = await driftedWrite(arena, newPayee(), 70);
      const last = (await storedPlans(arena, write))[1] ?? {};
      const answer = arena.system.target.pause();
      try {
        await arena.decide(write, "approve");
        await arena.until("the write to reach its target", () => (timesOf(arena, write) > 0 ? true : null));
        const said = { plan: last["content"] ?? null, drifted: 1 };
        await arena.as("worker").publish(plannedMessage(write, said, textIn(last["proof"])));
        await afterwards(arena, write);
        return await stillApproved(arena, write);
      } finally {
        answer();
        await arena.ended(write.runId);
      }
    },
  },
  {
    name: "the grant of an earlier plan is used again, when the target is as that plan shows it",
    attacker: "agent",
    expected: both(dropped(/a stale grant was answered/)),
    run: (arena) => earlierGrant(arena),
  },
  {
    name: "the ledger forgets that the target has changed, and the grant of the earlier plan is used again",
    attacker: "agent",
    expected: { own: server, shared: residual("R2") },
    run: (arena) =>
      earlierGrant(arena, {
        number: "R2",
        async change({ callId }) {
          const key = keys.ledger("payments", callId);
          const { planRound: _, ...row } = await arena.stored(key);
          await arena.as("agent").overwrite(key, row);
        },
      }),
  },
  {
    name: "a grant is reworded under its old signature to cover the later plan",
    attacker: "agent",
    expected: both(service("signature", /"reason":"signature"/)),
    async run(arena) {
      const { write, grant } = await driftedWrite(arena, newPayee(), 70);
      const [header, payload = "", signature] = grant.split(".");
      const hash = textIn((await storedPlans(arena, write))[1]?.["hash"]);
      const claims = { ...(JSON.parse(Buffer.from(payload, "base64url").toString()) as JsonObject), plan: { round: 2, hash } };
      return usedFor(arena, write, [header, Buffer.from(canonicalJson(claims)).toString("base64url"), signature].join("."));
    },
  },
  {
    name: "the grant of one plan is used for another write with the same arguments",
    attacker: "agent",
    expected: both(service("call", /"reason":"call"/)),
    async run(arena) {
      const { write: first, grant } = await driftedWrite(arena, newPayee(), 70);
      await arena.decide(first, "deny");
      return usedFor(arena, await plannedWrite(arena, first.args.payee, 70), grant);
    },
  },
  changedApproval("the plan on the card is changed in the store", (stored) => ({ plans: [changed(stored)] }), "planned"),
  changedApproval(
    "the plan on the card is changed in the store, with its fingerprint",
    (stored) => {
      const plan = changed(stored);
      return { plans: [{ ...plan, hash: planHash(plan.content) }] };
    },
    "planned",
  ),
  changedApproval("the store says that a write needs no plan", () => ({ plans: [] }), "planned"),
];

interface Report {
  readonly said: JsonObject;
  readonly proof: string | null;
}

/** Reports that the target of a write has changed, while the write is under way. The approval must stay, and the write must happen once. */
function forgedReport(
  name: string,
  attacker: Exclude<Attacker, "http">,
  expected: Attack["expected"],
  make: (arena: Arena, write: Held) => Promise<Report>,
): Attack {
  return {
    name,
    attacker,
    expected,
    async run(arena) {
      const { write, finish } = await arena.underWay("planned", { payee: newPayee(), amount: 70 });
      try {
        const { said, proof } = await make(arena, write);
        await arena.as(attacker).publish(plannedMessage(write, said, proof));
        await refusedOr(arena, write, async () => (await statusOf(arena, write)) !== "approved");
        return await stillApproved(arena, write);
      } finally {
        await finish();
      }
    },
  };
}

interface ChangedFirst {
  readonly number?: string;
  change?(write: Held): Promise<void>;
}

/** Uses the grant of the first plan after the target has changed back, so that only the number of the plan speaks against the grant. */
async function earlierGrant(arena: Arena, { change, number }: ChangedFirst = {}): Promise<Outcome> {
  const payee = newPayee();
  const { write, grant } = await driftedWrite(arena, payee, 70);
  try {
    arena.system.target.setLimit(payee, 100);
    await change?.(write);
    const call = await arena.stored(keys.call(write.callId));
    const isStale = (line: string): boolean => line.includes(write.callId) && line.includes("a stale grant was answered");
    const before = arena.system.lines().filter(isStale).length;
    await arena.as("agent").publish(granted(invokeOf(call, write.callId), grant));
    await arena.until("what the worker makes of it", () =>
      timesOf(arena, write) > 0 || arena.system.lines().filter(isStale).length > before ? true : null,
    );
    return timesOf(arena, write) > 0
      ? reached("it was written under its first approval, while people decided again", number)
      : held("it was not written", write.callId);
  } finally {
    await arena.decide(write, "deny");
  }
}

/** Sends a write that waits with this grant. */
async function usedFor(arena: Arena, write: Held, grant: string): Promise<Outcome> {
  const call = await arena.stored(keys.call(write.callId));
  await arena.as("agent").publish(granted(invokeOf(call, write.callId), grant));
  // The worker has taken the earlier call when it has done this one.
  await arena.done("high", { payee: "BAKERY", amount: 62 });
  const times = timesOf(arena, write);
  await arena.decide(write, "deny");
  return times === 0 ? held("it was not written", write.callId) : reached(`it was written ${times} times`);
}

async function stillApproved(arena: Arena, write: Held): Promise<Outcome> {
  const [status, times] = [await statusOf(arena, write), timesOf(arena, write)];
  return status === "approved" && times === 1
    ? held("it is still approved", write.callId)
    : reached(`it is ${status}, written ${times} times`);
}

async function statusOf(arena: Arena, { approvalId }: Held): Promise<string> {
  return textIn((await arena.stored(keys.approval(approvalId)))["status"]);
}

async function contentOf(arena: Arena, write: Held): Promise<JsonObject> {
  return (await storedPlans(arena, write))[0]?.["content"] as JsonObject;
}

/** Returns the plan of a stored approval with an untrue state of the target. */
function changed({ plans }: JsonObject) {
  const [plan] = plans as readonly JsonObject[];
  return { ...plan, content: { before: { limit: 69 }, after: { limit: 70 } } };
}
