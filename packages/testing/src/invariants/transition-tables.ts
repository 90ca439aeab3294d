import { agentTransitions } from "@toolbus/agent";
import { approvalTransitions } from "@toolbus/approvals";
import type { Transition } from "@toolbus/contracts";
import { ledgerTransitions } from "@toolbus/tool-kit";

/** The tables of all state machines, from the services. */
export const transitionTables: readonly Transition[] = [...agentTransitions, ...approvalTransitions, ...ledgerTransitions];

/** Each change that a table expects in worlds without a variant. Changes that are marked as rare are left out. */
export const expectedChanges: readonly { readonly name: string; readonly change: string }[] = transitionTables.flatMap(
  ({ name, changes, rare = {} }) => changes.filter((change) => rare[change] === undefined).map((change) => ({ name, change })),
);

/** Returns the changes of a status that a transition may make, or null if no table has the transition. */
export function changesOf(name: string): ReadonlySet<string> | null {
  return KNOWN.get(name) ?? null;
}

const KNOWN = new Map<string, Set<string>>();
for (const { name, changes } of transitionTables) KNOWN.set(name, new Set([...(KNOWN.get(name) ?? []), ...changes]));
