import type { ApprovalToDecide } from "@toolbus/contracts";
import { pause } from "@toolbus/runtime";
import type { Answer } from "../demo/ask.ts";
import { readApprovalToDecide } from "../http/answers.ts";
import { Answered, type Client } from "../http/client.ts";
import type { Planned } from "./story.ts";

/** How the approvers of the demo decide: their answer, the arguments that they change, and the ticket for a critical write. */
export interface Deciding {
  answer(card: ApprovalToDecide, signal: AbortSignal): Promise<Answer>;
  /** Returns the arguments that the first approver changes, or null to approve the write as it is. */
  edit(signal: AbortSignal): Promise<NonNullable<Planned["edit"]> | null>;
  ticket(signal: AbortSignal): Promise<string>;
}

export interface PeopleOptions {
  readonly approvers: readonly Client[];
  readonly deciding: Deciding;
  readonly onCard: (card: ApprovalToDecide) => void | Promise<void>;
  /** Called with a sentence when the second approver has to decide, and when approvals refuses a ticket. */
  readonly onNext: (sentence: string) => void;
}

/** Decides one approval with the approvers' own keys, one after another, until it has ended. */
export async function decideByPeople(approvalId: string, options: PeopleOptions, signal: AbortSignal): Promise<void> {
  const { approvers, deciding, onCard, onNext } = options;
  const path = `/v1/approvals/${encodeURIComponent(approvalId)}`;
  let ticket: string | null = null;
  for (const [index, approver] of approvers.entries()) {
    const card = await plannedCard(approver, path, signal);
    if (card.status !== "pending" || card.decisionToken === undefined) return;
    if (index === 0) await onCard(card);
    else onNext(`Approver ${index + 1} of ${approvers.length} sees the same card.`);
    const answer = await deciding.answer(card, signal);
    const edit = answer.decision === "approve" && index === 0 ? await deciding.edit(signal) : null;
    const edited = edit === null ? {} : { arguments: { ...card.arguments, ...edit }, argumentsHash: card.argumentsHash };
    const plan = card.plan === undefined ? {} : { planHash: card.plan.hash };
    const needsTicket = card.tier === "critical" && answer.decision === "approve";
    for (let attempt = 1; ; attempt++) {
      if (needsTicket) ticket ??= await deciding.ticket(signal);
      try {
        await approver.post(`${path}/decision`, {
          ...answer,
          ...edited,
          ...plan,
          ...(ticket === null ? {} : { ticket }),
          token: card.decisionToken,
        });
        break;
      } catch (error) {
        if (!(error instanceof Answered)) throw error;
        // The approval expired or was decided elsewhere in the meantime. The stream reports how it ended.
        if (error.status === 409 || error.status === 410) return;
        // Approvals refused the ticket, so nothing is decided.
        if (error.status !== 400 || !needsTicket || attempt === MOST_TICKETS) throw error;
        onNext(error.message);
        ticket = null;
      }
    }
  }
}

/** Returns the card as soon as the worker has planned the write. Most tools offer no plan. For these tools it returns the card at once. */
async function plannedCard(approver: Client, path: string, signal: AbortSignal): Promise<ApprovalToDecide> {
  for (;;) {
    const card = readApprovalToDecide(await approver.get(path));
    if (!card.planning || card.status !== "pending") return card;
    await pause(LOOK_AGAIN_MS, signal);
    signal.throwIfAborted();
  }
}

const LOOK_AGAIN_MS = 50;
/** How many tickets a person may type before the demo gives up. */
const MOST_TICKETS = 5;
