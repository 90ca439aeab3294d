import type { RowKind, StateStore } from "@toolbus/state";
import { pause } from "./pause.ts";

/** Decides how long a reader of due rows waits before it looks again. */
export interface UntilDue {
  /** For each claim. It learns from the store when the next row is due. */
  readonly onNext: (dueIn: number) => void;
  /**
   * Waits until a row may be due, or until the signal aborts. `spread` is a number around 1, which spreads the looks of replicas. If nobody notices the
   * commits of this process, each wait is `pollMs`.
   */
  wait(spread: number): Promise<void>;
  stop(): void;
}

/**
 * The longest wait, in poll intervals. Another process may have set a row and died. The rows of this process are noticed, and the store names the rows
 * that it has, so this is only for a row that another process has set since the last look.
 */
const LONGEST = 10;
/** A timer of Node may fire a little early. Without a shortest wait the reader would look several times until the row is due. */
const SHORTEST_MS = 5;

export function untilDue(
  state: Pick<StateStore, "onRows">,
  {
    service,
    kind,
    pollMs,
    signal,
  }: { readonly service: string; readonly kind: RowKind; readonly pollMs: number; readonly signal: AbortSignal },
): UntilDue {
  let next: number | null = null;
  let noticed = Number.POSITIVE_INFINITY;
  let sooner: ((dueIn: number) => void) | null = null;
  const leave = state.onRows?.(service, kind, (dueIn) => {
    // A row that is set while nobody waits shortens the next wait.
    if (sooner) sooner(dueIn);
    else noticed = Math.min(noticed, dueIn);
  });
  return {
    onNext: (dueIn) => void (next = dueIn),
    async wait(spread) {
      const longest = leave && next !== null ? LONGEST * pollMs : pollMs;
      let waits = Math.min(
        longest * spread,
        leave ? Math.max(SHORTEST_MS, Math.min(next ?? Number.POSITIVE_INFINITY, noticed)) : longest * spread,
      );
      next = null;
      noticed = Number.POSITIVE_INFINITY;
      const over = new AbortController();
      const stop = (): void => over.abort();
      signal.addEventListener("abort", stop, { once: true });
      if (signal.aborted) stop();
      sooner = (dueIn) => {
        if (dueIn >= waits) return;
        waits = Math.max(SHORTEST_MS, dueIn);
        void pause(waits, over.signal).then(stop);
      };
      await pause(waits, over.signal);
      sooner = null;
      stop();
      signal.removeEventListener("abort", stop);
    },
    stop: () => leave?.(),
  };
}
