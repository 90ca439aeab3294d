import type { Arena } from "./arena.ts";
import type { Outcome } from "./attack.ts";
import { cardOf, newPayee, plannedWrite, roundShown, shownLimit, timesOf } from "./planned-write.ts";

/** A genuine write. It shows that the system works with the rights under which it is attacked. */
export interface Genuine {
  readonly name: string;
  readonly attacker: "nobody";
  readonly genuine: true;
  run(arena: Arena): Promise<Outcome>;
}

/** Genuine writes, which the trial makes before all attacks and again after them. */
export function genuineWrites(when: "before" | "after"): readonly Genuine[] {
  return [
    genuine(`a genuine high write ${when} the attacks`, highWrite),
    genuine(`a genuine write with a plan ${when} the attacks`, writeWithPlan),
    genuine(`a genuine write whose target changes after its approval, ${when} the attacks`, writeWithDrift),
  ];
}

function genuine(name: string, run: Genuine["run"]): Genuine {
  return { name, attacker: "nobody", genuine: true, run };
}

let payees = 0;

async function highWrite(arena: Arena): Promise<Outcome> {
  const payee = `GENUINE-${++payees}`;
  const { callId } = await arena.done("high", { payee, amount: 7 });
  const count = arena.system.target.journal().filter((effect) => effect.callId === callId && effect.payee === payee).length;
  return ended(count, `7 EUR to ${payee}, once`);
}

async function writeWithPlan(arena: Arena): Promise<Outcome> {
  const write = await plannedWrite(arena, newPayee(), 70);
  const shown = shownLimit(await cardOf(arena, write));
  if (shown !== "100 to 70") return notDone(`the card shows "${shown}"`);
  await approve(arena, write);
  await arena.ended(write.runId);
  return ended(timesOf(arena, write), `the card showed ${shown}, and the limit was set once`);
}

async function writeWithDrift(arena: Arena): Promise<Outcome> {
  const payee = newPayee();
  const write = await plannedWrite(arena, payee, 70);
  arena.system.target.setLimit(payee, 90);
  await approve(arena, write);
  const card = await roundShown(arena, write, 2);
  const [before, now] = [shownLimit(card, true), shownLimit(card)];
  if (before !== "100 to 70" || now !== "90 to 70") return notDone(`the second card shows "${before}" and then "${now}"`);
  if (timesOf(arena, write) > 0) return notDone("it was written under the approval of the first plan");
  await approve(arena, write);
  const events = await arena.ended(write.runId);
  const decisions = events.filter(({ type }) => type === "call.decided").length;
  if (decisions !== 2) return notDone(`the run says that it was decided ${decisions} times`);
  return ended(timesOf(arena, write), `approved as ${before}, sent back, approved as ${now}, and set once`);
}

async function approve(arena: Arena, write: Parameters<Arena["decide"]>[0]): Promise<void> {
  const { status, body } = await arena.decide(write, "approve");
  if (status !== 200) throw new Error(`Approvals answered ${status}: ${JSON.stringify(body)}`);
}

function ended(count: number, detail: string): Outcome {
  return count === 1 ? { reached: true, detail } : notDone(`it happened ${count} times`);
}

function notDone(detail: string): Outcome {
  return { reached: false, detail };
}
