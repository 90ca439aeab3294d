import { agentTransitions } from "@toolbus/agent";
import { approvalTransitions } from "@toolbus/approvals";
import type { Transition } from "@toolbus/contracts";
import { ledgerTransitions } from "@toolbus/tool-kit";

/** The tables of every machine, as the services keep them. */
export const transitionTables: readonly Transition[] = [...agentTransitions, ...approvalTransitions, ...ledgerTransitions];

/** Each change that a table expects of the worlds as they are drawn: all that are not marked as rare. */
export const expectedChanges: readonly { readonly name: string; readonly change: string }[] = transitionTables.flatMap(
  ({ name, changes, rare = {} }) => changes.filter((change) => rare[change] === undefined).map((change) => ({ name, change })),
);

/** What a transition may do to a document's status; null when no table has the transition. */
export function changesOf(name: string): ReadonlySet<string> | null {
  return KNOWN.get(name) ?? null;
}

const KNOWN = new Map<string, Set<string>>();
for (const { name, changes } of transitionTables) KNOWN.set(name, new Set([...(KNOWN.get(name) ?? []), ...changes]));
