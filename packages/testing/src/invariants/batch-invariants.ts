import { type Approval, atLeast, type Call, type Decision, keys, type Tier } from "@toolbus/contracts";
import { secretHash } from "@toolbus/grants";
import type { BatchItem, Observation } from "../ports/observation.ts";
import { withoutPlanContent } from "./answer-text.ts";
import { tierNeeded } from "./edited-arguments.ts";
import { type Changed, type Facts, familyOf } from "./facts.ts";
import { same } from "./same.ts";
import { afterUntrustedReads } from "./untrusted-reads.ts";

/** Watches the decisions that people send together. It remembers what they sent, and the first answers. */
export interface BatchBook {
  sent(sends: Extract<Observation, { kind: "sends" }>): void;
  /** Returns which high and critical writes a commit decided although nobody sent these decisions alone. */
  commit(changed: readonly Changed[]): readonly string[];
  /** Returns what is wrong with the answers to a batch. */
  answered(batch: Extract<Observation, { kind: "batch" }>): readonly string[];
}

export function batchBook(facts: Facts): BatchBook {
  const alone = new Set<string>();
  const together = new Set<string>();
  /** The accepted answers by the key of their batch and their place in it. */
  const first = new Map<string, string>();
  return {
    sent({ approvalId, token, among }) {
      (among === 1 ? alone : together).add(`${approvalId} ${secretHash(token)}`);
    },
    commit(changed) {
      return changed.flatMap(({ key, before, after }) =>
        familyOf(key) === "approval" && after !== undefined
          ? decidedTogether(before as unknown as Approval | undefined, after as unknown as Approval)
          : [],
      );
    },
    answered(batch) {
      const { items, answers } = batch;
      if (answers.length !== items.length) return [`G6: a batch of ${items.length} decisions got ${answers.length} answers`];
      return items.flatMap((item, n) => brokenItem(batch, item, n));
    },
  };

  function decidedTogether(before: Approval | undefined, after: Approval): readonly string[] {
    const { approvalId, decisions } = after;
    if (!mustBeAlone(facts, after)) return [];
    return decisions
      .slice(before?.decisions.length ?? 0)
      .map(({ tokenHash }) => `${approvalId} ${tokenHash}`)
      .filter((name) => together.has(name) && !alone.has(name))
      .map(() => `G6: ${approvalId}, a write that people decide alone, was decided together with others`);
  }

  function brokenItem(batch: Extract<Observation, { kind: "batch" }>, item: BatchItem, n: number): readonly string[] {
    const { who, key, items, answers, at } = batch;
    const answer = answers[n];
    const { approval: id, decision } = item;
    if (answer?.approval !== id) return [`G6: the answer ${n} of a batch is about ${String(answer?.approval)}, and not about ${id}`];
    const name = `${who} ${key} ${n}`;
    const earlier = first.get(name);
    const approval = facts.documents.get(keys.approval(id)) as unknown as Approval | undefined;
    if (answer.status !== 200) {
      // The limit of decisions per minute also counts repeats.
      if (answer.status === 429) return [];
      if (earlier !== undefined) return [`G6: the decision about ${id} was accepted, and its repeat in the same batch was refused`];
      // The key of a batch stands for one decision about each approval.
      if (answer.status === 422 && items.some((other) => other.approval === id && !same(other, item))) return [];
      return isExplained(facts, approval, item, { among: items.length, who, at })
        ? []
        : [`G6: the decision about ${id} was refused in a batch with "${answer.problem?.code}", and nothing about it explains this`];
    }
    const now = withoutPlanContent(JSON.stringify(answer));
    first.set(name, earlier ?? now);
    const broken: string[] = [];
    if (items.length > 1 && approval && mustBeAlone(facts, approval))
      broken.push(`G6: ${id}, a write that people decide alone, was accepted in a batch of ${items.length}`);
    const hash = secretHash(item.token);
    if (!approval?.decisions.some((made) => made.approver === who && made.decision === decision && made.tokenHash === hash))
      broken.push(`G6: a batch says that ${who} decided "${decision}" about ${id}, and the approval does not`);
    if (earlier !== undefined && earlier !== now) broken.push(`G6: a repeated batch was answered differently about ${id}`);
    return broken;
  }
}

/** Returns whether people decide this write alone, by the simulator's own rules. */
function mustBeAlone(facts: Facts, approval: Approval): boolean {
  const call = facts.documents.get(keys.call(approval.callId)) as unknown as Call | undefined;
  return isHigh(afterUntrustedReads(facts, call, tierNeeded(facts, approval)));
}

function isHigh(tier: Tier | null): boolean {
  return tier !== null && atLeast(tier, "high");
}

/**
 * Returns whether a refusal can have its reason in this item alone. Nothing about the other items of the batch counts, because a refused decision must
 * not affect them.
 */
function isExplained(
  facts: Facts,
  approval: Approval | undefined,
  { token, decision, isOwn, argumentsHash, planHash }: BatchItem,
  { among, who, at }: { readonly among: number; readonly who: string; readonly at: number },
): boolean {
  if (!approval || !isOwn) return true;
  const { decisions, status, edited, plans, planning, expiresAt } = approval;
  if (among > 1 && mustBeAlone(facts, approval)) return true;
  const hash = secretHash(token);
  const asked = approval.earlier?.[0]?.argsHash ?? approval.argsHash;
  // The decision itself is recorded, so a repeat of it must be accepted. An approval of other arguments, such as one that edited them, is another
  // decision.
  const isOfThisCard = (made: Decision): boolean =>
    decision !== "approve" || (made.plan?.hash === planHash && (made.argsHash ?? asked) === argumentsHash);
  if (decisions.some((made) => made.approver === who && made.decision === decision && made.tokenHash === hash && isOfThisCard(made)))
    return false;
  const isOtherPlan = planning !== undefined || plans?.at(-1)?.hash !== planHash;
  return status !== "pending" || decisions.length > 0 || edited !== undefined || isOtherPlan || at >= expiresAt;
}
