import type { Registration, Run, ToolResult } from "@toolbus/contracts";
import { resolveCallsByName } from "./calls-by-name.ts";
import { recallCalls } from "./recall-calls.ts";
import type { ModelParts } from "./model-step.ts";
import { storeVendorTurn } from "../memory/stored-entries.ts";
import type { ToolOffers } from "../tool-offers.ts";
import type { CallByName, Turn } from "../transitions/turn-input.ts";
import { withheldTools } from "./withheld-tools.ts";

/** A turn that is ready to commit. Its references are in the store, and its inputs were read. */
export interface ReadyTurn {
  readonly turn: Turn;
  /** The results of the turn's calls to working memory, by the number of the call in the turn. */
  readonly recalled: ReadonlyMap<number, ToolResult>;
  /** The registered tools that the turn's calls name but the run does not have, by name. */
  readonly withheld: ReadonlyMap<string, Registration>;
  /** The tools that the turn's calls name in their arguments, by the number of the call in the turn. */
  readonly byName: ReadonlyMap<number, CallByName>;
}

/**
 * Prepares a turn for its commit. Stores a large vendor payload, and reads working memory and the registry, which a commit cannot do. Throws
 * `StoreUnavailable`.
 */
export async function readyTurn(
  { state, rules, toolOffers }: Pick<ModelParts, "state" | "rules"> & { readonly toolOffers: Pick<ToolOffers, "find" | "registered"> },
  { run, now }: { readonly run: Run; readonly now: number },
  turn: Turn,
  tools: ReadonlyMap<string, Registration>,
): Promise<ReadyTurn> {
  const { vendor, calls } = turn;
  const stored = vendor === undefined || "payloadBlob" in vendor ? vendor : await storeVendorTurn(state, vendor);
  const recalled = await recallCalls(state, { run, ttlMs: rules.config.WORKING_MEMORY_TTL_MS, calls, tools });
  const profile = rules.profile(run.profile);
  const withheld = await withheldTools(toolOffers, { run, profile, calls, tools });
  const byName = await resolveCallsByName(toolOffers, { run, profile, calls, tools, now });
  return { turn: stored ? { ...turn, vendor: stored } : turn, recalled, withheld, byName };
}
