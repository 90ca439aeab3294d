/** Lets calls run at the same time, and a suspect call alone if necessary. */
export interface SharedLane {
  /** Resolves when no other call runs alone. Also resolves when the call is stopped, because then it must end and not wait. */
  enter(stopped: AbortSignal): Promise<Place>;
  /**
   * Keeps other calls out, and waits at most `withinMs` for the calls inside to leave. After `forMs`, the work of `onShared` is completed, and then
   * other calls are admitted again.
   */
  enterAlone(times: { readonly withinMs: number; readonly forMs: number }, stopped: AbortSignal): Promise<Place>;
}

export interface Place {
  /** Returns whether no other call has run beside this one so far. */
  alone(): boolean;
  onShared(work: () => Promise<void>): void;
  /** Leaves the lane. Safe to call twice. */
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

/** Resolves when the promise resolves or the signal aborts. */
async function firstOf(promise: Promise<void>, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  const { promise: aborted, resolve } = Promise.withResolvers<void>();
  const listener = (): void => resolve();
  signal.addEventListener("abort", listener, { once: true });
  await Promise.race([promise, aborted]);
  signal.removeEventListener("abort", listener);
}
