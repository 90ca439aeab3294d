import type { PrunedContext, Registration, StoredVendorTurn, ToolResult, Usage } from "@toolbus/contracts";
import type { Snapshot } from "./snapshot.ts";

/** The turn of the model (or the seed). */
export interface Turn {
  readonly provider: string;
  readonly model: string;
  readonly text: string;
  readonly calls: readonly { readonly id: string; readonly name: string; readonly arguments: string }[];
  readonly seed: boolean;
  readonly truncated: boolean;
  /**
   * True if the vendor has paused the turn, so the run is not over. The vendor continues the turn when it gets the transcript with this turn at the
   * end.
   */
  readonly paused?: boolean;
  /** The vendor's own form of the turn. */
  readonly vendor?: StoredVendorTurn;
  /** The part of the conversation that the model did not see. */
  readonly pruned?: PrunedContext;
  /** The usage of the model call, with its cost. */
  readonly usage: Pick<Usage, "inputTokens" | "outputTokens"> & Partial<Usage>;
  /** The number of the calls that the run's budgets have room for. Absent means all calls. */
  readonly allowedCalls?: number;
}

/** The call of a tool that the arguments of another tool's call name, or why it is refused. */
export type CallByName =
  | {
      readonly tool: Registration;
      /** False if the tool must not be called. The reason is found as for every call of a tool that the run does not have. */
      readonly isUsable: boolean;
      /** The arguments of this tool, as canonical JSON text. */
      readonly arguments: string;
      /** The arguments that the model wrote, as canonical JSON text. They name the tool. */
      readonly written: string;
    }
  | { readonly refused: ToolResult };

export interface TurnInput {
  readonly snapshot: Snapshot;
  readonly epoch: number;
  readonly turn: Turn;
  /** The tools of this run by name, as they were when the run began. */
  readonly tools: ReadonlyMap<string, Registration>;
  /** The results of the turn's calls to working memory, by the number of the call in the turn. They were read before the commit. */
  readonly recalled?: ReadonlyMap<number, ToolResult>;
  /** The registered tools that the turn's calls name but the run does not have, by name. Calls to them are never sent. */
  readonly withheld?: ReadonlyMap<string, Registration>;
  /** The tools that calls of the turn name in their arguments, by the number of the call in the turn. */
  readonly byName?: ReadonlyMap<number, CallByName>;
}
