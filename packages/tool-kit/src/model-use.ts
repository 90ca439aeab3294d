import type { ToolModelUse } from "@toolbus/contracts";

/** What one model call used, as the tool that made it knows it. */
export interface ModelCallUse {
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Omitted if the price is unknown. */
  readonly costUsd?: number;
}

/** Adds up what the models used that a tool called within one of its own calls. */
export interface ModelUseCounter {
  /** Never fails: an invalid figure counts as missing. */
  add(use: ModelCallUse): void;
  /** Undefined while no model was called. */
  total(): ToolModelUse | undefined;
}

export function modelUseCounter(): ModelUseCounter {
  let sum: ToolModelUse | undefined;
  return {
    add({ inputTokens, outputTokens, costUsd }) {
      const before = sum ?? { calls: 0, inputTokens: 0, outputTokens: 0 };
      const cost = costUsd === undefined ? before.costMicroUsd : (before.costMicroUsd ?? 0) + whole(costUsd * 1_000_000);
      sum = {
        calls: before.calls + 1,
        inputTokens: before.inputTokens + whole(inputTokens),
        outputTokens: before.outputTokens + whole(outputTokens),
        ...(cost === undefined ? {} : { costMicroUsd: cost }),
      };
    },
    total: () => sum,
  };
}

function whole(figure: number): number {
  const rounded = Math.round(figure);
  return Number.isSafeInteger(rounded) && rounded > 0 ? rounded : 0;
}
