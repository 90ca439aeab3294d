/** Runs calls side by side, and one of them alone if necessary. */
export interface SharedLane {
  /** Resolves when no other call runs alone, or when the call is stopped: then it must end, not wait. */
  enter(stopped: AbortSignal): Promise<Place>;
  /**
   * Keeps others out and waits at most `withinMs` for those inside to leave; with 0 it does not wait. After `forMs` others are admitted again; `onShared`
   * is completed before that.
   */
  enterAlone(times: { readonly withinMs: number; readonly forMs: number }, stopped: AbortSignal): Promise<Place>;
}

export interface Place {
  /** Whether nothing else has run beside it so far. */
  alone(): boolean;
  onShared(work: () => Promise<void>): void;
  /** Safe to call twice. */
  leave(): void;
}

export function sharedLane(): SharedLane {
  let inside = 0;
  let closed: { readonly opened: Promise<void>; readonly open: () => void } | null = null;
  let empty = Promise.withResolvers<void>();
  return { enter, enterAlone };

  async function enter(stopped: AbortSignal): Promise<Place> {
    while (closed && !stopped.aborted) await firstOf(closed.opened, stopped);
    return placeOf(null);
  }

  async function enterAlone(
    { withinMs, forMs }: { readonly withinMs: number; readonly forMs: number },
    stopped: AbortSignal,
  ): Promise<Place> {
    if (withinMs === 0 && (closed || inside > 0)) return enter(stopped);
    while (closed && !stopped.aborted) await firstOf(closed.opened, stopped);
    if (closed) return placeOf(null);
    const { promise, resolve } = Promise.withResolvers<void>();
    const mine = { opened: promise, open };
    closed = mine;
    if (inside > 0) await firstOf(empty.promise, AbortSignal.any([stopped, AbortSignal.timeout(withinMs)]));
    if (inside > 0) open();
    return placeOf(closed === mine ? { forMs, open } : null);

    function open(): void {
      if (closed === mine) closed = null;
      resolve();
    }
  }

  function placeOf(lone: { readonly forMs: number; readonly open: () => void } | null): Place {
    let alone = lone !== null;
    let left = false;
    let before: () => Promise<void> = async () => undefined;
    inside++;
    const timer = lone && setTimeout(share, lone.forMs).unref();
    return {
      alone: () => alone,
      onShared: (work) => void (before = work),
      leave() {
        if (left) return;
        left = true;
        if (timer) clearTimeout(timer);
        lone?.open();
        inside--;
        if (inside > 0) return;
        empty.resolve();
        empty = Promise.withResolvers<void>();
      },
    };

    function share(): void {
      alone = false;
      void before().finally(lone?.open);
    }
  }
}

/** Resolves with the promise, or with the signal. */
async function firstOf(promise: Promise<void>, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  const { promise: aborted, resolve } = Promise.withResolvers<void>();
  const listener = (): void => resolve();
  signal.addEventListener("abort", listener, { once: true });
  await Promise.race([promise, aborted]);
  signal.removeEventListener("abort", listener);
}
