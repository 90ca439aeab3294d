import type { RunRecord } from "@toolbus/contracts";
import { type ComparedRuns, compareTurns } from "./compare-turns.ts";
import { freeRun } from "./free-run.ts";
import { unchanged, type Variant, varied } from "./variant.ts";

/**
 * Plays a run as it was and with a variant, and compares the two turn by turn. Without a model, nothing outside is asked, and what the model would be
 * asked is compared. With a model, only this model is asked, and its turns are compared with those of the log. Throws `ReplayRefused`.
 */
export async function compareVariant(record: RunRecord, variant: Variant, signal: AbortSignal): Promise<ComparedRuns> {
  // A record without its profile is compared with itself under the given one, apart from what else the variant changes.
  const own = record.profile?.profile === undefined || record.profile.profile === null ? variant.profile : undefined;
  const before = await freeRun({ ...unchanged(record, own && { ...own, name: record.run.profile }), signal });
  const after = await freeRun({ ...varied(record, variant), ...(variant.model ? { live: variant.model } : {}), signal });
  return compareTurns(before, after, variant.model ? "said" : "asked");
}
