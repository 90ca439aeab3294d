/** A signal that exists only once somebody asks for it, because most work never does. */
export interface SignalOnDemand {
  /** Returns the signal, the same every time. */
  signal(): AbortSignal;
  /** Aborts the signal, also if somebody asks for it only later. The first abort counts. */
  abort(reason: unknown): void;
  /** Stops following the outer signal. */
  end(): void;
}

/** Returns a signal that also aborts when `outer` aborts, with the same reason. */
export function signalOnDemand(outer: AbortSignal): SignalOnDemand {
  let controller: AbortController | null = null;
  let aborted: { readonly reason: unknown } | null = null;
  let following = true;
  const follow = (): void => controller?.abort(outer.reason);
  return {
    signal() {
      if (controller) return controller.signal;
      controller = new AbortController();
      const end = stateNow();
      if (end) controller.abort(end.reason);
      else if (following) outer.addEventListener("abort", follow, { once: true });
      return controller.signal;
    },
    abort(reason) {
      aborted = stateNow() ?? { reason };
      controller?.abort(aborted.reason);
    },
    end() {
      aborted = stateNow();
      following = false;
      if (controller) outer.removeEventListener("abort", follow);
    },
  };

  function stateNow(): { readonly reason: unknown } | null {
    return aborted ?? (following && outer.aborted ? { reason: outer.reason } : null);
  }
}
