import type { Toolset } from "../tool/toolset.ts";
import { type GoldenOptions, runGoldenCalls } from "./golden-calls.ts";

/**
 * Whether a worker calls its tools before it takes calls. With `warn`, a failure is only logged. With `required`, the worker waits until the calls
 * pass.
 */
export const GOLDEN_MODES = ["off", "warn", "required"] as const;
export type GoldenMode = (typeof GOLDEN_MODES)[number];

/** Runs the golden calls of a toolset. Returns why its worker must not take calls yet, in a sentence that strangers may read, or null. */
export async function goldenObstacle(toolset: Toolset, mode: GoldenMode, options: GoldenOptions): Promise<string | null> {
  if (mode === "off") return null;
  const faults = await runGoldenCalls(toolset, options);
  const [first] = faults;
  if (first === undefined || mode === "warn") return null;
  const more = faults.length === 1 ? "" : ` (and ${faults.length - 1} more)`;
  // The words of a failure are in the log only, because they may contain data of the target.
  return `the golden call of ${first.tool} fails with ${first.code}${more}`;
}
