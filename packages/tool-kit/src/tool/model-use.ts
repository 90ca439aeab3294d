import type { ToolModelUse } from "@toolbus/contracts";

/** The use of one model call, as the tool that made the call knows it. */
export interface ModelCallUse {
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Omitted if the price is unknown. */
  readonly costUsd?: number;
}

/** Adds up the use of all models that a tool called within one of its own calls. */
export interface ModelUseCounter {
  /** Adds the use of one model call. Never fails, because an invalid figure is treated as 0. */
  add(use: ModelCallUse): void;
  /** Returns the sum, or undefined if no model was called. */
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
