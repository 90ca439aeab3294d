import { type Approval, type Call, type Decision, type JsonObject, type Tier, TIERS } from "@toolbus/contracts";
import { argumentsHash, canonicalJson } from "@toolbus/grants";
import { tierOf } from "../world/sim-tools.ts";
import type { Facts } from "./facts.ts";

/** Returns the arguments that the model asked for, as the call had them when it was made. */
export function askedArguments({ asked }: Facts, { callId, arguments: args }: Pick<Call, "callId" | "arguments">): string {
  return asked.get(callId) ?? args;
}

/** Returns the hash of the arguments that this decision was about. */
export function approvedHash({ argsHash, earlier }: Approval, made: Decision): string {
  return made.argsHash ?? earlier?.[0]?.argsHash ?? argsHash;
}

/** Returns the tier that the write needs by the simulator's own rules. An edit may raise the tier of the original arguments, and never lowers it. */
export function tierNeeded(facts: Facts, approval: Approval): Tier | null {
  const { toolName } = approval;
  const texts = [askedArguments(facts, approval), ...(approval.earlier ?? []).map((version) => version.arguments), approval.arguments];
  const tiers = texts.map((text) => tierOf(toolName, JSON.parse(text || "{}") as JsonObject));
  return tiers.reduce((highest, tier) =>
    highest === null || tier === null ? null : TIERS.indexOf(tier) > TIERS.indexOf(highest) ? tier : highest,
  );
}

/** Returns whether the model asked for these arguments, or a person sent them instead. The function fills in the tools' only default. */
export function isOfSomebody(facts: Facts, { approvalId, callId }: Pick<Approval, "approvalId" | "callId">, text: string): boolean {
  if (facts.asked.get(callId) === text) return true;
  return (facts.edits.get(approvalId) ?? []).some((edit) => canonicalJson({ to: "nobody", ...edit }) === text);
}

/** Returns what is wrong with the arguments of an approval after a commit. */
export function wrongArguments(facts: Facts, before: Approval | undefined, after: Approval): readonly string[] {
  const { approvalId, argsHash, arguments: args } = after;
  if (args === "") return [];
  const broken: string[] = [];
  if (argumentsHash(args) !== argsHash) broken.push(`G6: the approval ${approvalId} has the hash of other arguments than its own`);
  const isChanged = before !== undefined && (before.argsHash !== argsHash || before.arguments !== args);
  if (isChanged && before.status !== "pending") broken.push(`I7: the subject of the approval ${approvalId} has changed after its end`);
  if (isChanged && !isOfSomebody(facts, after, args)) broken.push(`G6: nobody changed the arguments of ${approvalId} to ${args}`);
  return broken;
}
