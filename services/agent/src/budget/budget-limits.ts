import type { AgentConfig } from "../settings.ts";
import type { Profile } from "../profile.ts";

/** The most of each resource that may be used. Null means no limit. */
export interface Ceilings {
  readonly tokens: number | null;
  /** Millionths of a US dollar. */
  readonly microUsd: number | null;
  readonly toolCalls: number | null;
}

/** The owner of the budget. */
export type Whose = "run" | "principal" | "tenant";

/** The limits of a run, and those of its principal and its tenant per day (UTC). Null for an owner without limits. */
export type BudgetLimits = Readonly<Record<Whose, Ceilings | null>>;

/** Returns the limits for a run of this profile. */
export function budgetLimits(config: BudgetConfig, profile: Profile | undefined): BudgetLimits {
  const own = profile?.limits.budget;
  return {
    run: ceilings(
      lower(config.BUDGET_RUN_TOKENS, own?.tokens),
      lower(config.BUDGET_RUN_USD, own?.usd),
      lower(config.BUDGET_RUN_TOOL_CALLS, own?.toolCalls),
    ),
    principal: ceilings(
      config.BUDGET_PRINCIPAL_TOKENS_PER_DAY,
      config.BUDGET_PRINCIPAL_USD_PER_DAY,
      config.BUDGET_PRINCIPAL_TOOL_CALLS_PER_DAY,
    ),
    tenant: ceilings(config.BUDGET_TENANT_TOKENS_PER_DAY, config.BUDGET_TENANT_USD_PER_DAY, config.BUDGET_TENANT_TOOL_CALLS_PER_DAY),
  };
}

export type BudgetConfig = Pick<AgentConfig, Extract<keyof AgentConfig, `BUDGET_${string}`>>;

/** Returns the name of the limit that an operator would raise: the setting, or the profile's field if that is lower. */
export function limitNamed(whose: Whose, what: keyof Ceilings, config: BudgetConfig, profile: Profile | undefined): string {
  const setting = SETTINGS[whose][what];
  if (whose !== "run") return setting;
  const own = profile?.limits.budget?.[what === "microUsd" ? "usd" : what];
  const allowed = config[SETTINGS.run[what]];
  return own !== undefined && (allowed === 0 || own < allowed) ? `limits.budget of the profile "${profile?.name ?? ""}"` : setting;
}

const SETTINGS = {
  run: { tokens: "BUDGET_RUN_TOKENS", microUsd: "BUDGET_RUN_USD", toolCalls: "BUDGET_RUN_TOOL_CALLS" },
  principal: {
    tokens: "BUDGET_PRINCIPAL_TOKENS_PER_DAY",
    microUsd: "BUDGET_PRINCIPAL_USD_PER_DAY",
    toolCalls: "BUDGET_PRINCIPAL_TOOL_CALLS_PER_DAY",
  },
  tenant: {
    tokens: "BUDGET_TENANT_TOKENS_PER_DAY",
    microUsd: "BUDGET_TENANT_USD_PER_DAY",
    toolCalls: "BUDGET_TENANT_TOOL_CALLS_PER_DAY",
  },
} as const satisfies Record<Whose, Record<keyof Ceilings, keyof BudgetConfig>>;

function lower(allowed: number, own: number | undefined): number {
  if (own === undefined) return allowed;
  return allowed === 0 ? own : Math.min(allowed, own);
}

/** Converts limits from settings, where 0 means "no limit". */
function ceilings(tokens: number, usd: number, toolCalls: number): Ceilings | null {
  if (tokens === 0 && usd === 0 && toolCalls === 0) return null;
  return { tokens: tokens || null, microUsd: usd === 0 ? null : Math.round(usd * 1_000_000), toolCalls: toolCalls || null };
}
