/**
 * `closed` lets every call through. `open` refuses every call. `half_open` follows when the time of `open` is over. It lets one call through as a trial,
 * whose outcome closes the breaker or opens it again.
 */
export type BreakerState = "closed" | "half_open" | "open";

/** What the end of a call says about the dependency. `unknown` says nothing, for example because the call was cancelled. */
export type CallOutcome = "works" | "fails" | "unknown";

export interface BreakerRules {
  /** The breaker opens after this many failures among the last `window` calls that ended within `withinMs`. */
  readonly failures: number;
  readonly window: number;
  readonly withinMs: number;
  /** How long the breaker is open. Each failed trial doubles the time, up to `longestOpenMs`. */
  readonly openMs: number;
  readonly longestOpenMs: number;
}

export const breakerRules: BreakerRules = { failures: 5, window: 10, withinMs: 60_000, openMs: 5000, longestOpenMs: 60_000 };

/** The circuit breaker of one dependency in one process. */
export interface Breaker {
  state(): BreakerState;
  /** Returns how long the breaker is still open, in milliseconds. */
  openForMs(): number;
  /** Resolves when the trial under way has ended. Null if there is none. */
  trial(): Promise<void> | null;
  /** Notes that a call begins, whatever the state is. In the state `half_open`, the first such call is the trial. Call the result once, at its end. */
  begin(): (outcome: CallOutcome) => void;
  /** Reports a check of the dependency by other means than a call. It replaces the trial in the state `half_open`, and does nothing in the others. */
  checked(works: boolean): void;
}

export interface BreakerParts {
  readonly rules?: BreakerRules;
  /** Returns the time of a monotonic clock, in milliseconds. */
  readonly monotonic: () => number;
  /** Called after the breaker opened, opened again or closed. */
  readonly onChange: (state: "open" | "closed") => void;
}

export function breaker({ rules = breakerRules, monotonic, onChange }: BreakerParts): Breaker {
  let ended: { readonly at: number; readonly failed: boolean }[] = [];
  let openUntil: number | null = null;
  /** How often the breaker opened since it was last closed. */
  let openings = 0;
  /** Changes with every change of the state, so that the late end of an earlier call is recognised. */
  let turn = 0;
  let trying: PromiseWithResolvers<void> | null = null;
  return { state, openForMs, trial: () => trying?.promise ?? null, begin, checked };

  function state(): BreakerState {
    if (openUntil === null) return "closed";
    return openForMs() > 0 ? "open" : "half_open";
  }

  function openForMs(): number {
    return openUntil === null ? 0 : Math.max(0, openUntil - monotonic());
  }

  function begin(): (outcome: CallOutcome) => void {
    const begun = turn;
    const at = state();
    if (at === "closed") return (outcome) => (begun === turn ? count(outcome) : undefined);
    // A write that was sent before continues while the breaker is open. Its success is as good a sign as that of a trial.
    if (at === "open" || trying !== null) return (outcome) => (outcome === "works" && openUntil !== null ? close() : undefined);
    const own = (trying = Promise.withResolvers<void>());
    return (outcome) => {
      if (trying !== own) return;
      if (outcome === "works") close();
      else if (outcome === "fails") open();
      else endTrial();
    };
  }

  function checked(works: boolean): void {
    if (state() !== "half_open" || trying !== null) return;
    if (works) close();
    else open();
  }

  function count(outcome: CallOutcome): void {
    if (outcome === "unknown") return;
    const now = monotonic();
    const recent = ended.filter(({ at }) => now - at < rules.withinMs);
    ended = [...recent, { at: now, failed: outcome === "fails" }].slice(-rules.window);
    if (outcome === "fails" && ended.filter(({ failed }) => failed).length >= rules.failures) open();
  }

  function open(): void {
    openUntil = monotonic() + Math.min(rules.longestOpenMs, rules.openMs * 2 ** openings);
    openings++;
    turned();
    onChange("open");
  }

  function close(): void {
    openUntil = null;
    openings = 0;
    turned();
    onChange("closed");
  }

  function turned(): void {
    turn++;
    ended = [];
    endTrial();
  }

  function endTrial(): void {
    const over = trying;
    trying = null;
    over?.resolve();
  }
}
