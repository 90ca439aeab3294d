import { isJsonObject, type JsonObject } from "@toolbus/contracts";
import type { BatchItem } from "../ports/observation.ts";
import type { Card, Ticket } from "./approvers.ts";
import { insist, type InsistOptions, sleep } from "./http-door.ts";
import type { PeopleOptions } from "./persons.ts";

/** A person who waits until several writes are held, and decides them in one request. */
export interface Batcher {
  /** Adds a held write to the next request. */
  add(held: Held): void;
}

interface Held extends Ticket {
  readonly approvalId: string;
  /** Decides the write alone, because the batch has left it undecided. */
  readonly alone: () => void;
}

/** One decision of the request. */
interface Item extends Ticket {
  readonly approval: string;
  readonly decision: string;
  readonly token: string;
  readonly argumentsHash: string;
  readonly planHash?: string;
}

interface Desk {
  readonly who: string;
  readonly insisting: InsistOptions;
  cardOf(who: string, approvalId: string): Promise<Card | null>;
}

export function batcher(
  { wire, observe, random, habits }: Pick<PeopleOptions, "wire" | "observe" | "random" | "habits">,
  { who, insisting, cardOf }: Desk,
): Batcher {
  const { clockwork } = wire;
  const { onFault } = insisting;
  let waiting: Held[] = [];
  let sent = 0;
  return {
    add(held) {
      waiting.push(held);
      if (waiting.length === 1) void decideAll();
    },
  };

  async function decideAll(): Promise<void> {
    await sleep(wire, random.magnitude(1, Math.max(2, habits.thinkMs)));
    const held = waiting;
    waiting = [];
    const items: Item[] = [];
    for (const { approvalId, alone: _, ...ticket } of held) {
      const item = await itemOf(approvalId, ticket);
      if (item) items.push(item);
    }
    const [first] = items;
    if (!first) return;
    // Somebody ticks the same write twice.
    if (random.chance(0.2)) items.push(first);
    const name = `${who} ${++sent}`;
    const headers = random.chance(0.7) ? { "idempotency-key": name.replace(" ", "-") } : {};
    const answers = await post(name, items, headers);
    // Somebody sends the same request again, although it was answered.
    if (random.chance(0.3)) await post(name, items, headers);
    for (const [index, { status }] of answers.entries())
      if (status !== 200) held.find(({ approvalId }) => approvalId === items[index]?.approval)?.alone();
  }

  async function itemOf(approvalId: string, ticket: Ticket): Promise<Item | null> {
    const card = await cardOf(who, approvalId);
    if (!card) return null;
    const { arguments: _, ...seen } = card;
    const decision = random.chance(0.15) ? "deny" : "approve";
    return { approval: approvalId, decision, ...seen, ...ticket };
  }

  /** Sends the decisions, and returns an answer for each. Returns none if approvals gives no answer. */
  async function post(name: string, items: readonly Item[], headers: Readonly<Record<string, string>>): Promise<readonly JsonObject[]> {
    const principal = { id: who, tenant: "acme", roles: ["approver"], scopes: ["approve:*"], keyId: `key of ${who}` } as const;
    const asked = {
      method: "POST",
      url: "/v1/approvals/decisions",
      body: { decisions: items.map((item) => ({ ...item })) },
      headers,
      principal,
    } as const;
    const answered = await insist(wire, asked, insisting);
    if (!answered) return [];
    if (answered.status !== 200) {
      // Only the limit of decisions per minute may refuse the request as a whole.
      if (answered.status !== 429) onFault(`a batch was answered with ${JSON.stringify(answered)}`);
      return items.map(() => ({ status: answered.status }));
    }
    const given = answered.body["answers"];
    const answers = Array.isArray(given) ? given.filter(isJsonObject) : [];
    const decisions = items.map(itemFact);
    observe({ kind: "batch", at: clockwork.now, name, who, items: decisions, answers });
    for (const [index, { approvalId, decision, token }] of decisions.entries())
      if (answers[index]?.["status"] === 200)
        observe({
          kind: "decided",
          at: clockwork.now,
          approvalId,
          tokenId: `${who} ${token}`,
          decision,
          answer: JSON.stringify(answers[index]["decided"]),
        });
    return answers;
  }
}

function itemFact({ approval, ...item }: Item): BatchItem {
  return { approvalId: approval, decision: item.decision, token: item.token };
}
