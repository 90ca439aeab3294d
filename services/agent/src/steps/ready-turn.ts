import type { Registration, Run, ToolResult } from "@toolbus/contracts";
import { recallCalls } from "./recall-calls.ts";
import type { ModelParts } from "./model-step.ts";
import { storeVendorTurn } from "../memory/stored-entries.ts";
import type { Turn } from "../transitions/turn.ts";
import { withheldTools } from "./withheld-tools.ts";

/** A turn whose references are in the store and whose inputs were read. */
export interface ReadyTurn {
  readonly turn: Turn;
  /** The results of its calls of working memory, by their number in the turn. */
  readonly recalled: ReadonlyMap<number, ToolResult>;
  /** The tools that its calls name and that the run lacks although they exist, by name. */
  readonly withheld: ReadonlyMap<string, Registration>;
}

/**
 * Does before a turn's commit what a commit cannot: it stores a large vendor payload, and reads working memory and the registry. Throws `StoreUnavailable`.
 */
export async function readyTurn(
  { state, rules, log }: Pick<ModelParts, "state" | "rules" | "log">,
  run: Run,
  turn: Turn,
  tools: ReadonlyMap<string, Registration>,
): Promise<ReadyTurn> {
  const { vendor, calls } = turn;
  const stored = vendor === undefined || "payloadBlob" in vendor ? vendor : await storeVendorTurn(state, vendor);
  const recalled = await recallCalls(state, { run, ttlMs: rules.config.WORKING_MEMORY_TTL_MS, calls, tools });
  const withheld = await withheldTools(state, log, { run, profile: rules.profile(run.profile), calls, tools });
  return { turn: stored ? { ...turn, vendor: stored } : turn, recalled, withheld };
}
