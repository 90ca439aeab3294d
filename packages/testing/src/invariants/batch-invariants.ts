import { type Approval, isJsonObject, type Json, type JsonObject, keys } from "@toolbus/contracts";
import type { BatchFact, BatchItem } from "../ports/observation.ts";
import { tierOf } from "../world/sim-tools.ts";
import { askedArguments } from "./edited-arguments.ts";
import type { Facts } from "./facts.ts";

/** Checks the answers to decisions that a person sent together. */
export interface KeptBatches {
  take(batch: BatchFact): readonly string[];
}

/**
 * Makes a check of batches. Each item has one answer, in the same order and about the same approval. Nobody decides a high or critical write together
 * with others. A decision that was accepted is accepted again if the person sends the same request again.
 */
export function keptBatches(facts: Facts): KeptBatches {
  const accepted = new Map<string, ReadonlySet<number>>();
  return {
    take(batch) {
      const { name, who, items, answers } = batch;
      const approvals = answers.map(({ approval }) => approval);
      if (JSON.stringify(approvals) !== JSON.stringify(items.map(({ approvalId }) => approvalId)))
        return [`G6: ${who} sent ${items.length} decisions together, and the answers are not one for each, in this order`];
      const broken: string[] = [];
      const before = accepted.get(name);
      const now = new Set<number>();
      for (const [index, item] of items.entries()) {
        const answer: JsonObject = answers[index] ?? {};
        const isAccepted = answer["status"] === 200;
        if (isAccepted) now.add(index);
        if (isAccepted && !isOf(answer["decided"] ?? null, who, item))
          broken.push(`G6: ${item.approvalId} was answered as decided, but without the decision of ${who}`);
        if (isAccepted && items.length > 1 && needsOwnDecision(facts, item))
          broken.push(`G6: ${who} decided ${item.approvalId}, a write of a high tier, together with other writes`);
        // Each decision of a batch counts in the limit of decisions per minute, so a repeat may get 429.
        if (!isAccepted && answer["status"] !== 429 && before?.has(index))
          broken.push(`G6: ${who} sent a batch again, and its decision about ${item.approvalId} is now refused`);
      }
      accepted.set(name, new Set([...(before ?? []), ...now]));
      return broken;
    },
  };
}

function isOf(view: Json, who: string, { approvalId, decision }: BatchItem): boolean {
  if (!isJsonObject(view) || view["id"] !== approvalId || !Array.isArray(view["decisions"])) return false;
  return view["decisions"].some((made) => isJsonObject(made) && made["approver"] === who && made["decision"] === decision);
}

/** Returns whether this write is high or critical by the simulator's own rules, as the model asked for it. */
function needsOwnDecision(facts: Facts, { approvalId }: BatchItem): boolean {
  const approval = facts.documents.get(keys.approval(approvalId)) as unknown as Approval | undefined;
  if (!approval) return false;
  const tier = tierOf(approval.toolName, JSON.parse(askedArguments(facts, approval) || "{}") as JsonObject);
  return tier === "high" || tier === "critical";
}
