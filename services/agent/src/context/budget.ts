import { publicTool, type Registration } from "@toolbus/contracts";
import type { ModelProvider } from "@toolbus/models";
import { callableTools } from "../callable-tools.ts";
import type { Profile } from "../profile.ts";
import type { Room } from "./room.ts";

/** How a model's window is divided, in tokens as the model counts them. */
export interface ContextBudget {
  /** Prompt and reply together. */
  readonly window: number;
  /** The system prompt and the tools. */
  readonly fixed: number;
  /** The room for the longest reply. */
  readonly response: number;
  /** A tenth of the window, because estimates are imprecise. */
  readonly margin: number;
  /** What the conversation may use; not positive if there is no room for one. */
  readonly history: Room;
  /** The size that it is pruned to once it uses more: well below, so that the window's beginning moves seldom and the vendors' prompt caches hold. */
  readonly target: Room;
  /** The factor for estimates, from what the vendor has reported so far. */
  readonly ratio: number;
}

export interface BudgetInput {
  readonly provider: ModelProvider;
  readonly profile: Profile;
  readonly tools: ReadonlyMap<string, Registration>;
  /** `TokenCalibration.ratio` of this model; 1 if nothing is known. */
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
 * The budget after a vendor has refused a prompt as too long whose conversation we counted as `used` tokens: half of the limit or half of what was really
 * used, whichever is less.
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

// Profiles and the public parts of tools do not change, so each is counted once for each provider.
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
