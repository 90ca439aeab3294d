import type { Mutant } from "./mutant.ts";

/** Mutants of the guards of budgets. Without such a guard, runs use more than their budget allows, or the budget counts less than they used. */
export const budgets: readonly Mutant[] = [
  {
    name: "no ceiling",
    breaks: "a model call is made although a budget has no room for it",
    within: 300,
    patches: [
      {
        file: "services/agent/src/budget/budget-window.ts",
        find: "if (ceiling !== null && asked[what] > 0 && used[what] + asked[what] > ceiling)",
        replace: "if (ceiling !== null && asked[what] > ceiling && used[what] < 0)",
      },
    ],
  },
  {
    name: "asked before it is reserved",
    breaks: "the model is asked first, and the budget afterwards",
    within: 300,
    patches: [
      {
        file: "services/agent/src/steps/complete-within.ts",
        find: "  const reservation = await budgets.reserve(run, () => estimateOf(",
        replace:
          "  void provider.complete(request, context).catch(() => undefined);\n  const reservation = await budgets.reserve(run, () => estimateOf(",
      },
    ],
  },
  {
    name: "settled as nothing",
    breaks: "an answer of the model releases its whole reservation",
    within: 300,
    patches: [
      {
        file: "services/agent/src/budget/budgets.ts",
        find: "const tokens = usage.inputTokens + usage.outputTokens;",
        replace: "const tokens = 0 * (usage.inputTokens + usage.outputTokens);",
      },
    ],
  },
  {
    name: "a broken call given back",
    breaks: "a model call that broke off counts for nothing, although the vendor may have charged it",
    within: 300,
    patches: [
      {
        file: "services/agent/src/steps/complete-within.ts",
        find: "if (isUncharged(error)) await",
        replace: "void isUncharged;\n    await",
      },
    ],
  },
  {
    name: "tool calls without a ceiling",
    breaks: "all tool calls of a turn are made, however few are left",
    within: 300,
    patches: [
      {
        file: "services/agent/src/budget/budget-window.ts",
        find: "const calls = Math.min(used.toolCalls, left);",
        replace: "void left;\n      const calls = used.toolCalls;",
      },
    ],
  },
  {
    name: "tool calls made that were not counted",
    breaks: "a turn also makes the calls for which its budget had no room",
    within: 300,
    patches: [
      {
        file: "services/agent/src/budget/budgets.ts",
        find: ").then((calls) => Math.min(...calls));",
        replace: ").then((calls) => Math.max(toolCalls, ...calls));",
      },
    ],
  },
  {
    name: "the run's budget alone",
    breaks: "a principal's limit for a day is not checked",
    within: 300,
    patches: [
      {
        file: "services/agent/src/budget/budgets.ts",
        find: "const limited = WHOSE.filter((whose) =>",
        replace: 'const limited = WHOSE.filter((whose) => whose === "run" &&',
      },
    ],
  },
  {
    name: "stopped with room left",
    breaks: "a run is stopped by a budget that is half used up",
    within: 600,
    patches: [
      {
        file: "services/agent/src/budget/budget-window.ts",
        find: "used[what] + asked[what] > ceiling)",
        replace: "used[what] + asked[what] > ceiling / 4)",
      },
    ],
  },
];
