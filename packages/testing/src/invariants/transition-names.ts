import type { Json } from "@toolbus/contracts";
import type { Change } from "@toolbus/state";
import { familyOf } from "./facts.ts";

/**
 * Returns the name of the transition of a change, such as `agent turn`. The family of the written document shows which service made the change.
 * Returns null for documents without an obligation (rates, presence, registrations).
 */
export function nameOf({ op, put = [] }: Change): string | null {
  const families = put.map(({ key }) => familyOf(key));
  const has = (...names: readonly string[]): boolean =>
    families.some((family) => names.some((name) => family === name || family.startsWith(`${name}.`)));
  const role = has("run", "call") ? "agent" : has("approval") ? "approvals" : has("ledger") ? "worker" : has("inbox") ? "gateway" : null;
  return role === null ? null : `${role} ${(op.split(":")[0] ?? "").replace(/-\d+$/, "")}`;
}

/** Returns the status of a document that has a table of transitions, or null for any other document. */
export function statusOf(key: string, value: Json | undefined): string | null {
  if (kindOf(key) === null) return null;
  const { status, state } = (value ?? {}) as { readonly status?: string; readonly state?: string };
  return status ?? state ?? null;
}

/** Returns the name of a change in a table, such as `run ready → waiting`. */
export function changeName(key: string, before: string | null | undefined, after: string): string {
  return `${kindOf(key)} ${before ?? "none"} → ${after}`;
}

function kindOf(key: string): string | null {
  const family = familyOf(key);
  if (family === "run" || family === "call" || family === "approval") return family;
  return family.startsWith("ledger.") ? "row" : null;
}
