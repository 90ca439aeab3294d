import type { Json, LiveEvent } from "@toolbus/contracts";
import { progressOf } from "./live-progress.ts";
import { argumentsOf, deltaOf } from "./live-text.ts";

/** Returns a live batch as an event, or null for anything else. */
export function liveEventOf(batch: Json): LiveEvent | null {
  return deltaOf(batch) ?? argumentsOf(batch) ?? progressOf(batch);
}
