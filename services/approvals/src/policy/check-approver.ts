import { type Approval, foreignSchema } from "@toolbus/contracts";
import { groupsFilled, openGroups, wouldHelp } from "./quorum.ts";

/** The person who decides, with the rights that the person's key gives. */
export interface Approver {
  readonly id: string;
  readonly roles: readonly string[];
  readonly scopes: readonly string[];
  readonly groups?: readonly string[];
}

type Waiting = Pick<Approval, "policy" | "need" | "decisions">;

/** Returns why the policy does not let this person decide, as a sentence for the person, or null if it does. */
export function notAmongApprovers(approver: Approver, { policy }: Pick<Approval, "policy">): string | null {
  const missing = (policy?.from ?? []).find((list) => !list.some((entry) => isOneOf(approver, entry)));
  return missing === undefined ? null : `The policy lets only these decide: ${missing.join(", ")}.`;
}

/** Returns why an approval by this person would not count, as a sentence for the person, or null if it would. */
export function noPlaceFor(approver: Approver, approval: Waiting): string | null {
  const { need, decisions, policy } = approval;
  if (policy?.groups === undefined) return null;
  if (wouldHelp({ approver: approver.id, groups: countedGroups(approver, approval) }, decisions, need, policy.groups)) return null;
  const open = openGroups(decisions, policy.groups);
  const which = [...new Set(open)].map((group) => {
    const count = open.filter((one) => one === group).length;
    return `${count} ${count === 1 ? "person" : "people"} of the group "${group}"`;
  });
  return `This still needs ${which.join(" and ")}.`;
}

/** Returns the person's groups that count for the approval. They are stored with the decision. */
export function countedGroups({ groups = [] }: Approver, { policy }: Pick<Approval, "policy">): readonly string[] {
  const wanted = policy?.groups ?? {};
  return groups.filter((group) => Object.hasOwn(wanted, group));
}

/** Returns whether these decisions have enough people of every group. */
export function hasEveryGroup({ policy }: Pick<Approval, "policy">, decisions: readonly Approval["decisions"][number][]): boolean {
  return groupsFilled(decisions, policy?.groups);
}

/** Returns what is wrong with a ticket, as a sentence for the person, or null if it has the form that the policy demands. */
export function ticketMismatch(ticket: string, { policy }: Pick<Approval, "policy">): string | null {
  const broken = (policy?.tickets ?? []).find((pattern) => !matches(ticket, pattern));
  return broken === undefined ? null : `The ticket does not have the form that the policy demands: ${broken}`;
}

function isOneOf({ id, roles, scopes, groups = [] }: Approver, entry: string): boolean {
  const at = entry.indexOf(":");
  const value = entry.slice(at + 1);
  switch (entry.slice(0, at)) {
    case "approver":
      return id === value;
    case "role":
      return roles.includes(value);
    case "scope":
      return scopes.includes(value);
    case "group":
      return groups.includes(value);
    default:
      return false;
  }
}

/** A pattern that cannot be judged matches nothing. */
function matches(ticket: string, pattern: string): boolean {
  const schema = foreignSchema({ type: "string", pattern });
  return schema.ok && schema.validate(ticket).length === 0;
}
