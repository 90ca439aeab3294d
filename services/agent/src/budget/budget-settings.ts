import { dollars, integer } from "@toolbus/runtime";

const count = integer({ min: 0, max: 1_000_000_000_000 });

/** The limits of budgets. 0 means no limit. A day begins at midnight UTC by the store's clock. */
export const budgetSettings = {
  BUDGET_RUN_TOKENS: count({ default: 0, desc: "tokens that a run and its sub-runs may use, including prompts; 0: no limit" }),
  BUDGET_RUN_USD: dollars({ default: 0, desc: "US dollars that a run and its sub-runs may cost; 0: no limit" }),
  BUDGET_RUN_TOOL_CALLS: count({ default: 0, desc: "tool calls that a run and its sub-runs may request; 0: no limit" }),
  BUDGET_PRINCIPAL_TOKENS_PER_DAY: count({
    default: 0,
    desc: "tokens that all runs of one principal may use in a day of UTC; 0: no limit",
  }),
  BUDGET_PRINCIPAL_USD_PER_DAY: dollars({ default: 0, desc: "US dollars that all runs of one principal may cost in a day; 0: no limit" }),
  BUDGET_PRINCIPAL_TOOL_CALLS_PER_DAY: count({ default: 0, desc: "tool calls of all runs of one principal in a day; 0: no limit" }),
  BUDGET_TENANT_TOKENS_PER_DAY: count({ default: 0, desc: "tokens that all runs of one tenant may use in a day of UTC; 0: no limit" }),
  BUDGET_TENANT_USD_PER_DAY: dollars({ default: 0, desc: "US dollars that all runs of one tenant may cost in a day; 0: no limit" }),
  BUDGET_TENANT_TOOL_CALLS_PER_DAY: count({ default: 0, desc: "tool calls of all runs of one tenant in a day; 0: no limit" }),
} as const;
