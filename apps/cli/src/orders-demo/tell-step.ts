import { randomUUID } from "node:crypto";
import { sendMessage } from "../chat/send-message.ts";
import type { Screen } from "../demo/screen.ts";
import { readApproval } from "../http/answers.ts";
import { type StreamItem, watchRun } from "../runs/watch-run.ts";
import { decideByPeople, type Deciding } from "./people.ts";
import { rowsBetween, type ToldCall } from "./proof.ts";
import type { ShopSystem } from "./shop-system.ts";
import type { Step } from "./story.ts";

export interface TellOptions {
  readonly system: ShopSystem;
  readonly conversationId: string;
  readonly deciding: Deciding;
  readonly show: Screen | null;
  readonly clock: () => number;
  readonly signal: AbortSignal;
}

/** What happened in a step. */
export interface Told {
  readonly title: string;
  /** The agent's answer. Null if the run did not complete. */
  readonly answer: string | null;
  readonly calls: readonly ToldCall[];
  /** Whether the shop lost an answer in this step. */
  readonly answerLost: boolean;
}

/** Sends the message of a step, lets people decide the held writes, and compares the outcome with the shop's database. */
export async function tellStep({ title, calls, losesAnswerTo, changesMeanwhile }: Step, options: TellOptions): Promise<Told> {
  const { system, conversationId, deciding, show, clock, signal } = options;
  let before = system.shop.effects();
  let meanwhile = changesMeanwhile;
  let answerLost = false;
  system.loseAnswerTo(losesAnswerTo ?? null, () => {
    answerLost = true;
    show?.line("  ✂ the shop has stored the effect, and its answer is lost");
  });
  const run = await sendMessage(system.gateway, { conversationId, text: calls.join("\n") }, randomUUID);
  const ended: { callId: string; tool: string; status: string }[] = [];
  const decided = new Map<string, readonly string[]>();
  // A failure of a decision ends the step, and the end of the step closes an open question.
  const { promise: failed, reject: fail } = Promise.withResolvers<never>();
  const over = new AbortController();
  const untilOver = AbortSignal.any([signal, over.signal]);
  const onItem = (item: StreamItem): void => {
    // The tools are the same in every step.
    if (item.type !== "run.started") show?.item(item);
    if (item.type === "call.held") {
      const onCard = async (card: Parameters<Screen["card"]>[0]): Promise<void> => {
        show?.card(card, clock());
        if (meanwhile === undefined) return;
        const { order, address } = meanwhile;
        meanwhile = undefined;
        await system.changeAddress(order, address, untilOver);
        // The change of the address is not the effect of a call, so the later comparison must not count its row.
        before = system.shop.effects();
        show?.line(`  ✎ meanwhile the customer changes the address of ${order} to ${Object.values(address).join(", ")}`);
      };
      void decideByPeople(
        item.approvalId,
        { approvers: system.approvers, deciding, onCard, onNext: (says) => show?.line(says) },
        untilOver,
      ).catch((error: unknown) => (untilOver.aborted ? undefined : fail(error)));
    }
    if (item.type === "call.decided") decided.set(item.callId, item.decidedBy);
    if (item.type === "call.resolved") ended.push({ callId: item.callId, tool: item.tool, status: item.status });
  };
  try {
    const end = await Promise.race([watchRun(system.gateway, run.runId, { onItem, signal: untilOver }), failed]);
    const rows = rowsBetween(before, system.shop.effects());
    const told = ended.map(async ({ callId, tool, status }): Promise<ToldCall> => {
      const decidedBy = decided.get(callId);
      // A step has at most one write, so every new row belongs to it.
      if (decidedBy === undefined) return { callId, tool, status, tier: null, decidedBy: [], rows: [] };
      const { tier } = readApproval(await system.approvers[0].get(`/v1/approvals/ap_${callId}`));
      return { callId, tool, status, tier, decidedBy, rows };
    });
    return { title, answer: end.type === "run.completed" ? end.text : null, calls: await Promise.all(told), answerLost };
  } finally {
    over.abort();
  }
}
