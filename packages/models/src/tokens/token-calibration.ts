/** One prompt: what we took it for, and what the vendor counted. */
export interface CountedPrompt {
  readonly estimated: number;
  readonly reported: number;
}

/** How far off the estimates for each model are, learnt from what its vendor reports. In memory only: a new process learns anew. */
export interface TokenCalibration {
  /** What an estimate for this model is to be multiplied by, 0.5 to 2; 1 for a model that nothing is known of. */
  ratio(provider: string, model: string): number;
  /** Takes a report into account. Small prompts say little, since a vendor adds words of its own: they are left aside. */
  learn(provider: string, model: string, prompt: CountedPrompt): void;
  /** The vendor refused a prompt as too long, so that it has more tokens than the window: the ratio rises to that at least. */
  overflowed(provider: string, model: string, prompt: { readonly estimated: number; readonly window: number }): void;
}

const LEAST_TOKENS = 500;
/** How much of the newest report goes into the ratio. */
const WEIGHT = 0.3;

export function tokenCalibration(): TokenCalibration {
  const ratios = new Map<string, number>();
  const keyOf = (provider: string, model: string): string => `${provider}/${model}`;
  return {
    ratio: (provider, model) => ratios.get(keyOf(provider, model)) ?? 1,
    learn(provider, model, { estimated, reported }) {
      if (estimated < LEAST_TOKENS || reported < LEAST_TOKENS) return;
      const key = keyOf(provider, model);
      const before = ratios.get(key);
      const seen = bounded(reported / estimated);
      ratios.set(key, before === undefined ? seen : before + WEIGHT * (seen - before));
    },
    overflowed(provider, model, { estimated, window }) {
      if (estimated <= 0) return;
      const key = keyOf(provider, model);
      ratios.set(key, bounded(Math.max(ratios.get(key) ?? 1, window / estimated)));
    },
  };
}

const bounded = (ratio: number): number => Math.min(2, Math.max(0.5, ratio));
