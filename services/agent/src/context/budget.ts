import { publicTool, type Registration } from "@toolbus/contracts";
import type { ModelProvider } from "@toolbus/models";
import { callableTools } from "../callable-tools.ts";
import type { Profile } from "../profile.ts";
import type { Room } from "./room.ts";

/** The parts of a model's window, in tokens as the model counts them. */
export interface ContextBudget {
  /** The whole window, for the prompt and the reply together. */
  readonly window: number;
  /** The part for the system prompt and the tools. */
  readonly fixed: number;
  /** The part for the longest reply. */
  readonly response: number;
  /** A reserve of a tenth of the window, because estimates are imprecise. */
  readonly margin: number;
  /** The room for the conversation. The number of tokens is zero or negative if the window has no room for a conversation. */
  readonly history: Room;
  /**
   * The size to which a conversation is pruned when it exceeds `history`. It is well below that limit, so the window's beginning seldom moves and the
   * vendors' prompt caches stay valid.
   */
  readonly target: Room;
  /** The factor that corrects estimates, from what the vendor has reported so far. */
  readonly ratio: number;
}

export interface BudgetInput {
  readonly provider: ModelProvider;
  readonly profile: Profile;
  readonly tools: ReadonlyMap<string, Registration>;
  /** The `TokenCalibration.ratio` of this model, or 1 if nothing is known. */
  readonly ratio: number;
}

const MARGIN = 0.1;
const PRUNED_TO = 0.6;

/** Divides the window of this model for this profile. */
export function contextBudget({ provider, profile, tools, ratio }: BudgetInput): ContextBudget {
  const { contextTokens: window, maxOutputTokens } = provider.capabilities;
  const fixed = Math.ceil(fixedTokens(provider, profile, tools) * ratio);
  const response = Math.min(profile.limits.maxTokens, maxOutputTokens);
  const margin = Math.ceil(window * MARGIN);
  const { maxTokens, maxMessages } = profile.context ?? {};
  const tokens = Math.min(window - margin - response - fixed, maxTokens ?? Number.POSITIVE_INFINITY);
  const history: Room = { tokens, messages: maxMessages ?? Number.POSITIVE_INFINITY };
  const target: Room = { tokens: Math.floor(tokens * PRUNED_TO), messages: Math.floor(history.messages * PRUNED_TO) };
  return { window, fixed, response, margin, history, target, ratio };
}

/**
 * Returns the budget for a retry after a vendor refused a prompt as too long. `used` is our count of the prompt's conversation in tokens. The new
 * limit is half of the old limit or half of `used`, whichever is less.
 */
export function tighter(budget: ContextBudget, used: number): ContextBudget {
  const tokens = Math.floor(Math.min(budget.history.tokens, used) / 2);
  const history: Room = { tokens, messages: budget.history.messages };
  return { ...budget, history, target: { tokens, messages: budget.target.messages } };
}

interface Fixed {
  readonly systems: WeakMap<Profile, number>;
  readonly tools: WeakMap<object, number>;
}

// Profiles and the public parts of tools do not change, so their tokens are counted once for each provider.
const counted = new WeakMap<ModelProvider, Fixed>();

function fixedTokens(provider: ModelProvider, profile: Profile, tools: ReadonlyMap<string, Registration>): number {
  const known = counted.get(provider) ?? { systems: new WeakMap(), tools: new WeakMap() };
  counted.set(provider, known);
  let tokens = once(known.systems, profile, () => provider.estimateTokens([], profile.systemPrompt));
  for (const { definition } of callableTools(provider, tools).values()) {
    const tool = publicTool(definition);
    tokens += once(known.tools, tool, () => provider.estimateTokens([], JSON.stringify(tool)));
  }
  return tokens;
}

function once<K extends object>(known: WeakMap<K, number>, key: K, count: () => number): number {
  const before = known.get(key);
  if (before !== undefined) return before;
  const tokens = count();
  known.set(key, tokens);
  return tokens;
}
