import { attributes, type JsonObject, keys, type Message, messageTypes, topics } from "@toolbus/contracts";
import { type Arena, forgedMessage, type Held } from "./arena.ts";
import { ask } from "./http.ts";
import { textIn } from "./text-in.ts";

let payees = 0;

/** Returns a payee whose limit nobody has set yet. */
export function newPayee(): string {
  return `LIMIT-${++payees}`;
}

/** Returns the card of an approval as an approver sees it. */
export async function cardOf(arena: Arena, { approvalId }: Held): Promise<JsonObject> {
  return (await ask(arena.approvals(`/v1/approvals/${encodeURIComponent(approvalId)}`), arena.system.people.amy)).body as JsonObject;
}

/** Asks for a write with a plan. Resolves when the card shows the plan. */
export async function plannedWrite(arena: Arena, payee: string, amount: number): Promise<Held> {
  const write = await arena.held("planned", { payee, amount });
  await roundShown(arena, write, 1);
  return write;
}

/** Resolves with the card when the plan of this round is on it. */
export function roundShown(arena: Arena, write: Held, round: number): Promise<JsonObject> {
  return arena.until(`plan ${round} of ${write.callId}`, async () => {
    const card = await cardOf(arena, write);
    return (card["plan"] as JsonObject | undefined)?.["round"] === round ? card : null;
  });
}

/** Returns what a card says about the limit, such as "100 to 70". */
export function shownLimit(card: JsonObject, drifted = false): string {
  const plan = card["plan"] as JsonObject | undefined;
  const part = drifted ? (plan?.["drifted"] as JsonObject | undefined) : plan;
  const changes = (part?.["changes"] ?? []) as readonly JsonObject[];
  return changes.map(({ before, after }) => `${textIn(before)} to ${textIn(after)}`).join(", ");
}

/** Approves a planned write whose target has changed since its plan. Resolves when people have to decide again, with both grants unused. */
export async function driftedWrite(arena: Arena, payee: string, amount: number): Promise<{ readonly write: Held; readonly grant: string }> {
  const write = await plannedWrite(arena, payee, amount);
  arena.system.target.setLimit(payee, amount + 1000);
  await arena.decide(write, "approve");
  await roundShown(arena, write, 2);
  const grant = textIn((await arena.stored(keys.call(write.callId)))["grant"]);
  return { write, grant };
}

/** Returns the number of times that a write happened. */
export function timesOf(arena: Arena, { callId }: Held): number {
  return arena.system.target.journal().filter((effect) => effect.callId === callId).length;
}

/** Returns the plans of an approval as approvals stored them, with the proofs of the worker. */
export async function storedPlans(arena: Arena, { approvalId }: Held): Promise<readonly JsonObject[]> {
  return ((await arena.stored(keys.approval(approvalId)))["plans"] ?? []) as readonly JsonObject[];
}

let sent = 0;

/** Makes a message that says what a write would change, as only a worker sends it. */
export function plannedMessage({ callId, tool }: Held, said: JsonObject, proof: string | null): Message {
  return forgedMessage({
    id: `planned.forged:${callId}#${++sent}`,
    topic: topics.approvalPlanned,
    type: messageTypes.approvalPlanned,
    correlationId: callId,
    attributes: proof === null ? {} : { [attributes.receipt]: proof },
    body: { toolCallId: callId, toolName: tool, ...said },
  });
}
