import { isJsonObject, type JsonObject } from "@toolbus/contracts";
import { BrokenLink } from "./verdict.ts";

// The approval in an evidence file is plain JSON, because the file may come from another version.

/** Throws `BrokenLink` with this sentence unless the condition holds. */
export function demand(holds: boolean, sentence: string): asserts holds {
  if (!holds) throw new BrokenLink(sentence);
}

/** Returns a field that every approval has. Throws `BrokenLink` if it is missing. */
export function textOf(value: JsonObject, name: string): string {
  const text = value[name];
  if (typeof text !== "string") throw new BrokenLink(`The approval has no ${name}.`);
  return text;
}

/** Returns the objects in a list of the approval. */
export function listIn(approval: JsonObject, name: string): readonly JsonObject[] {
  const list = approval[name];
  return Array.isArray(list) ? list.filter((one) => isJsonObject(one)) : [];
}

export function decisionsIn(approval: JsonObject): readonly JsonObject[] {
  return listIn(approval, "decisions");
}

/**
 * Returns the approvals that count for the grant. If the call has plans, only approvals of the last plan count. If an approver edited the call, only
 * that approver's decision and later ones count.
 */
export function countedIn(approval: JsonObject): readonly JsonObject[] {
  const { edited } = approval;
  const made = decisionsIn(approval);
  const first = isJsonObject(edited)
    ? made.findLastIndex((one) => one["sent"] !== undefined && one["approver"] === edited["by"] && one["at"] === edited["at"])
    : 0;
  const rounds = listIn(approval, "plans").length;
  const isOfPlan = ({ plan }: JsonObject): boolean => rounds === 0 || (isJsonObject(plan) && plan["round"] === rounds);
  return made.slice(Math.max(0, first)).filter((one) => one["decision"] === "approve" && isOfPlan(one));
}
