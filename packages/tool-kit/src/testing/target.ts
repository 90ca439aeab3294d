import type { Dependency, Idempotency, JsonObject, ToolLimits } from "@toolbus/contracts";
import { defineTool } from "../tool/define-tool.ts";
import type { Reconciliation, Tool, ToolOutput, WriteContext } from "../tool/tool.ts";
import { toolset, type Toolset } from "../tool/toolset.ts";

/** The target of the write in tests. It counts what happens to it, and honours an idempotency key if it is configured to do so. */
export interface Target {
  /** The number of effects by key. A 2 means that the effect happened twice. */
  readonly effects: Map<string, number>;
  prepares: number;
  runs: number;
  reconciles: number;
  /** The prepared value of each run. */
  readonly sent: unknown[];
  /** If set, replaces the tool's `run`. The effect happens only if this function calls `effect`. */
  onRun: ((context: WriteContext, effect: () => void) => ToolOutput | Promise<ToolOutput>) | null;
  onPrepare: ((signal: AbortSignal) => void | Promise<void>) | null;
  answer: () => Reconciliation | Promise<Reconciliation>;
}

export function target(): Target {
  return {
    effects: new Map(),
    prepares: 0,
    runs: 0,
    reconciles: 0,
    sent: [],
    onRun: null,
    onPrepare: null,
    answer: () => ({ kind: "unknown" }),
  };
}

export type PayArgs = { readonly amount: number; readonly to: string };

/** Returns a toolset "orders" with the write `pay` on the target and the read `look_up`. */
export function orders(
  over: Target,
  idempotency: Idempotency = { mode: "key", keepsForMs: 86_400_000 },
  more: readonly Tool[] = [],
): Toolset {
  return toolset({ name: "orders", tools: [pay(over, idempotency), lookUp(), ...more] });
}

export function pay(
  over: Target,
  idempotency: Idempotency,
  timeoutMs = 1000,
  more: {
    readonly version?: string;
    readonly flag?: string;
    readonly resource?: (args: PayArgs) => string;
    readonly dependencies?: readonly Dependency[];
    readonly limits?: ToolLimits;
  } = {},
): Tool {
  const honoursKey = idempotency.mode === "key";
  return defineTool({
    name: "pay",
    ...more,
    kind: "write",
    description: "Pays an amount.",
    parameters: {
      type: "object",
      properties: { amount: { type: "integer", minimum: 1 }, to: { type: "string", maxLength: 40_000 } },
      required: ["amount", "to"],
      additionalProperties: false,
    },
    idempotency,
    timeoutMs,
    effect: "Pay {amount} to {to}.",
    async prepare({ amount, to }: PayArgs, { signal }) {
      over.prepares++;
      await over.onPrepare?.(signal);
      return { amount, to, note: `prepared ${over.prepares}` };
    },
    run(prepared, context) {
      over.runs++;
      over.sent.push(prepared);
      const effect = (): void => {
        const { idempotencyKey: key } = context;
        const before = over.effects.get(key) ?? 0;
        over.effects.set(key, honoursKey && before > 0 ? before : before + 1);
      };
      if (over.onRun) return over.onRun(context, effect);
      effect();
      return { paid: true };
    },
    ...(idempotency.mode === "reconcile"
      ? {
          async reconcile() {
            over.reconciles++;
            return over.answer();
          },
        }
      : {}),
  });
}

function lookUp(): Tool {
  return defineTool({
    name: "look_up",
    kind: "read",
    description: "Looks an order up.",
    parameters: {
      type: "object",
      properties: { id: { type: "string" }, limit: { type: "integer", default: 10 } },
      required: ["id"],
      additionalProperties: false,
    },
    run: ({ id }: { readonly id: string }): JsonObject => ({ id, state: "shipped" }),
  });
}
