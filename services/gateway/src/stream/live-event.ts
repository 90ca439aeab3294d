import type { Json, LiveEvent } from "@toolbus/contracts";
import { progressOf } from "./live-progress.ts";
import { argumentsOf, deltaOf } from "./live-text.ts";

/** A live batch parsed; null for anything else. */
export function liveEventOf(batch: Json): LiveEvent | null {
  return deltaOf(batch) ?? argumentsOf(batch) ?? progressOf(batch);
}
