import { atLeast, type Call, keys, type Registration, type Tier } from "@toolbus/contracts";
import { READ, TOOLSET } from "../world/sim-tools.ts";
import { type Facts, familyOf } from "./facts.ts";

/**
 * Returns the tier that a write must have. It is high at least if an earlier round of its conversation has read an untrusted result. The check looks
 * at the calls themselves, and not at what the agent wrote about them.
 */
export function afterUntrustedReads(facts: Facts, call: Call | undefined, tier: Tier | null): Tier | null {
  if (!call || tier === null || atLeast(tier, "high") || !isUntrusted(facts)) return tier;
  for (const [key, value] of facts.documents) {
    if (familyOf(key) !== "call") continue;
    const read = value as unknown as Call;
    const isEarlier = read.runId !== call.runId || read.round < call.round;
    if (read.toolName !== READ || read.conversationId !== call.conversationId || read.dispatch === 0 || !isEarlier) continue;
    if (read.resolvedAt !== undefined && read.resolvedAt <= call.createdAt) return "high";
  }
  return tier;
}

function isUntrusted({ documents }: Facts): boolean {
  const registered = documents.get(keys.registration(TOOLSET, READ, "1")) as unknown as Registration | undefined;
  return registered?.definition.trust === "untrusted";
}
