import type { Json } from "@toolbus/contracts";
import { defineTool, type Toolset, toolset } from "@toolbus/tool-kit";

/** A write that the target really received. Only this proves that a write happened. */
export interface Effect {
  readonly tool: string;
  /** The call for which the worker sent the effect. */
  readonly callId: string;
  readonly payee: string;
  readonly amount: number;
}

/** The attacked tools, by who grants them. */
export const TOOLS = {
  /** Policy grants it, with a limit. */
  low: "post_notice",
  /** One approver grants it. Its target remembers no keys. */
  high: "send_payment",
  /** One approver grants it. Its target honours the idempotency key. */
  keyed: "send_keyed_payment",
  /** Two approvers and a ticket grant it. */
  critical: "close_account",
  /** One approver grants it, and sees the limit of now beside the new one. */
  planned: "set_limit",
  read: "read_balance",
} as const;

export type Attacked = keyof typeof TOOLS;

/** The requests to the target. Each rejects if the target does not answer. */
export interface Requests {
  /** Sends an effect, or only reads if `effect` is null. */
  send(effect: Effect | null, signal: AbortSignal): Promise<void>;
  /** Returns the present limit of a payee. */
  limitOf(payee: string, signal: AbortSignal): Promise<number>;
}

/** Makes a small toolset with a write of each tier, a write with a plan and a read. Its tools only make these requests. */
export function payments({ send, limitOf }: Requests): Toolset {
  return toolset({
    name: "payments",
    tools: [
      write("low", "Posts a notice", "Post a notice of {amount} EUR to {payee}", { mode: "none" }),
      write("high", "Sends a payment", "Wire {amount} EUR to {payee}", { mode: "none" }),
      write("keyed", "Sends a payment once per key", "Wire {amount} EUR to {payee}, once", { mode: "key", keepsForMs: 86_400_000 }),
      write("critical", "Closes an account", "Close the account of {payee} with {amount} EUR in it", { mode: "none" }),
      write(
        "planned",
        "Sets a limit",
        "Set the limit of {payee} to {amount} EUR",
        { mode: "none" },
        async ({ payee, amount }, { signal }) => ({
          before: { limit: await limitOf(payee ?? "", signal) },
          after: { limit: amount ?? 0 },
        }),
      ),
      defineTool({
        name: TOOLS.read,
        description: "Reads the balance of a payee, e.g. BAKERY. Gives EUR. Not for histories.",
        kind: "read",
        parameters: PARAMETERS,
        async run(_args, { signal }) {
          await send(null, signal);
          return { balance: 100 };
        },
      }),
    ],
  });

  function write(which: Exclude<Attacked, "read">, does: string, effect: string, idempotency: Idempotency, plan?: MakePlan) {
    const name = TOOLS[which];
    return defineTool({
      name,
      description: `${does}: the payee's name, e.g. BAKERY, and an amount in EUR. Gives the number of the effect. Not for refunds.`,
      kind: "write",
      parameters: PARAMETERS,
      risk: { tier: which === "keyed" || which === "planned" ? "high" : which },
      idempotency,
      // The other writes need no scope.
      ...(which === "low" ? { scopes: ["tools:write"] } : {}),
      effect: `${effect}.`,
      ...(plan === undefined ? {} : { plan }),
      prepare: async ({ payee, amount }) => ({ payee: payee ?? "", amount: amount ?? 0 }),
      async run(prepared: Json, { idempotencyKey: callId, signal }) {
        const { payee, amount } = prepared as { readonly payee: string; readonly amount: number };
        await send({ tool: name, callId, payee, amount }, signal);
        return { sent: amount };
      },
    });
  }
}

type MakePlan = (
  args: { readonly payee?: string; readonly amount?: number },
  context: { readonly signal: AbortSignal },
) => Promise<{ readonly before: { readonly limit: number }; readonly after: { readonly limit: number } }>;

type Idempotency = { readonly mode: "none" } | { readonly mode: "key"; readonly keepsForMs: number };

const PARAMETERS = {
  type: "object",
  properties: { payee: { type: "string", pattern: "^[A-Z][A-Z0-9-]{0,63}$" }, amount: { type: "integer", minimum: 1, maximum: 10_000 } },
  required: ["payee", "amount"],
  additionalProperties: false,
} as const;
