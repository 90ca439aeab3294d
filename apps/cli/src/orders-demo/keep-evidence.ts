import { writeFile } from "node:fs/promises";
import path from "node:path";
import { evidenceText } from "@toolbus/grants";
import { approvalEvidence, callEvidence } from "../audit/read-evidence.ts";
import type { ToldCall } from "./proof.ts";
import type { ShopSystem } from "./shop-system.ts";

/** Writes the evidence about the story's critical write into a file, and returns the name of the file. Returns null if there was no such write. */
export async function keepEvidence(
  { approvers, operator }: ShopSystem,
  calls: readonly ToldCall[],
  { directory, signal }: { readonly directory: string; readonly signal: AbortSignal },
): Promise<string | null> {
  const call = calls.find(({ tier }) => tier === "critical");
  if (!call) return null;
  const { chained: _, ...approval } = await approvalEvidence(approvers[0], call.callId, signal);
  const file = path.join(directory, "evidence.json");
  await writeFile(file, evidenceText(approval, await callEvidence(operator, call.callId)), { mode: 0o600 });
  return file;
}
