/** Our estimate and the vendor's count for one prompt. */
export interface CountedPrompt {
  readonly estimated: number;
  readonly reported: number;
}

/**
 * The deviation of our estimates for each model, learnt from the counts that its vendor reports. It is kept only in memory, so a new process learns
 * again.
 */
export interface TokenCalibration {
  /** Returns the factor for an estimate for this model, from 0.5 to 2. It is 1 for a model without reports. */
  ratio(provider: string, model: string): number;
  /** Returns true if a report of this many tokens is worth counting its prompt: it would be learnt from, and few were learnt from before. */
  wants(provider: string, model: string, reported: number): boolean;
  /** Learns from a report. It ignores small prompts, because the text that a vendor adds would distort their ratio. */
  learn(provider: string, model: string, prompt: CountedPrompt): void;
  /**
   * Learns that the vendor refused a prompt as too long. The prompt has more tokens than the window, so the ratio becomes at least `window /
   * estimated`.
   */
  overflowed(provider: string, model: string, prompt: { readonly estimated: number; readonly window: number }): void;
}

const LEAST_TOKENS = 500;
/** The weight of the newest report in the ratio. */
const WEIGHT = 0.3;
/** After this number of reports, a twentieth of the factor is left of the first one. */
const ENOUGH_REPORTS = 8;

export function tokenCalibration(): TokenCalibration {
  const ratios = new Map<string, number>();
  const reports = new Map<string, number>();
  const keyOf = (provider: string, model: string): string => `${provider}/${model}`;
  return {
    ratio: (provider, model) => ratios.get(keyOf(provider, model)) ?? 1,
    wants: (provider, model, reported) => reported >= LEAST_TOKENS && (reports.get(keyOf(provider, model)) ?? 0) < ENOUGH_REPORTS,
    learn(provider, model, { estimated, reported }) {
      if (estimated < LEAST_TOKENS || reported < LEAST_TOKENS) return;
      const key = keyOf(provider, model);
      reports.set(key, (reports.get(key) ?? 0) + 1);
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
