import type { Tier } from "@toolbus/contracts";
import type { Prng } from "../clockwork/prng.ts";
import type { BatchItem } from "../ports/observation.ts";
import type { Card, Ticket } from "./approval-cards.ts";
import { insist, sleep } from "./http-door.ts";
import { type PeopleOptions, principalOf } from "./persons.ts";

/** An approval that waits for people. */
export interface Waiting {
  readonly approvalId: string;
  readonly tier: Tier;
  readonly need: number;
  readonly ticket: Ticket;
}

/** A person who collects waiting approvals, and answers them with one request. */
export interface Batches {
  /** Returns whether the person answers this approval together with others. */
  take(waiting: Waiting): boolean;
}

export interface BatchesOptions extends PeopleOptions {
  cardOf(who: string, approvalId: string): Promise<Card | null>;
  /** Decides the approval alone. */
  judge(waiting: Waiting): void;
  /** Lets somebody else decide the approval at the same time. */
  interfere(waiting: Waiting): void;
}

const WHO = "amy";
const PATIENCE = 8;
/** An approval of a run that never was. */
const UNKNOWN = "ap_rn_00_01ARZ3NDEKTSV4RRFFQ69G5FAV.1.0";

export function batches({ wire, observe, random, approvals, habits, cardOf, judge, interfere }: BatchesOptions): Batches {
  const { clockwork } = wire;
  // All choices come from a separate stream, so that the worlds of seeds without batches do not change.
  const draws: Prng = random.fork("batches");
  let collected: Waiting[] = [];
  let sent = 0;
  return {
    take(waiting) {
      if (!draws.chance(habits.batches)) return false;
      collected.push(waiting);
      if (collected.length === 1) void answerSoon();
      return true;
    },
  };

  async function answerSoon(): Promise<void> {
    await sleep(wire, draws.magnitude(200, 6000));
    const taken = collected;
    collected = [];
    await answer(taken);
  }

  async function answer(taken: readonly Waiting[]): Promise<void> {
    const items: BatchItem[] = [];
    for (const waiting of taken) {
      const item = await itemOf(waiting);
      if (item) items.push(item);
    }
    if (items.length === 0) return;
    if (draws.chance(0.3)) interfere(draws.pick(taken));
    const accepted = await send(withOddItems(items));
    for (const waiting of taken) if (!accepted.has(waiting.approvalId)) await alone(waiting);
  }

  /** Decides what the batch did not decide. A batch of a single decision is allowed for every tier. */
  async function alone(waiting: Waiting): Promise<void> {
    const item = draws.chance(0.3) ? await itemOf(waiting) : null;
    if (item === null || waiting.need > 1) judge(waiting);
    else await send([item]);
  }

  async function itemOf({ approvalId, tier, ticket }: Waiting): Promise<BatchItem | null> {
    const card = await cardOf(WHO, approvalId);
    if (card === null) return null;
    const decision = draws.chance(0.8) ? "approve" : draws.pick(["deny", "revise"]);
    const stolen = draws.chance(0.05) ? await cardOf("ben", approvalId) : null;
    const { arguments: _, token, ...seen } = card;
    return { approval: approvalId, decision, token: stolen?.token ?? token, ...seen, tier, isOwn: stolen === null, ...ticket };
  }

  /** Sometimes adds an item twice, with the same decision or another one, and sometimes an approval that does not exist. */
  function withOddItems(items: readonly BatchItem[]): readonly BatchItem[] {
    const all = [...items];
    if (draws.chance(0.2)) {
      const twice = draws.pick(items);
      all.splice(draws.below(all.length + 1), 0, draws.chance(0.5) ? twice : { ...twice, decision: "deny" });
    }
    const [first] = items;
    if (first && draws.chance(0.1)) all.splice(draws.below(all.length + 1), 0, { ...first, approval: UNKNOWN, isOwn: false });
    return all;
  }

  /** Sends a batch, sometimes twice with the same key. Returns the approvals whose decisions were accepted. */
  async function send(items: readonly BatchItem[]): Promise<ReadonlySet<string>> {
    const key = `batch-${WHO}-${++sent}`;
    const accepted = new Set<string>();
    for (const { approval, token } of items)
      observe({ kind: "sends", at: clockwork.now, approvalId: approval, token, among: items.length });
    do {
      let tries = 0;
      let sentAt = clockwork.now;
      const served = (): ReturnType<typeof approvals> => {
        tries++;
        sentAt = clockwork.now;
        return approvals();
      };
      const decisions = items.map(({ tier: _, isOwn: __, ...item }) => ({ ...item }));
      const asked = {
        method: "POST",
        url: "/v1/approvals/decisions",
        body: { decisions },
        headers: { "idempotency-key": key },
        principal: principalOf(WHO),
      } as const;
      const onFault = (error: string): void => observe({ kind: "fault", at: clockwork.now, process: "approvals", error });
      const answered = await insist(wire, asked, { served, tries: PATIENCE, random: draws, onFault });
      // Only the limit of decisions per minute may refuse the request as a whole.
      if (answered && answered.status !== 200 && answered.status !== 429) onFault(`a batch was answered with ${JSON.stringify(answered)}`);
      if (answered?.status !== 200) continue;
      const { answers } = answered.body as unknown as { readonly answers: Parameters<typeof accept>[0] };
      observe({ kind: "batch", at: clockwork.now, sentAt, tries, who: WHO, key, items, answers });
      accept(answers);
    } while (draws.chance(0.3));
    return accepted;

    function accept(answers: Extract<Parameters<typeof observe>[0], { kind: "batch" }>["answers"]): void {
      for (const { approval, status } of answers) if (status === 200) accepted.add(approval);
    }
  }
}
