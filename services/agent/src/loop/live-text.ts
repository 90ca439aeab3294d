import { type Json, keys, type Run, type TextDelta } from "@toolbus/contracts";
import type { StateStore } from "@toolbus/state";

/** Sends text as it comes to whoever watches, in batches. What is lost here stands in the turn. */
export interface LiveText {
  add(text: string): void;
  /** Sends what is left and waits for it. */
  end(): Promise<void>;
}

// Each write costs a viewer's gateway 10 µs or more; people see no difference below this.
const BATCH_MS = 30;

export function liveText(state: StateStore, run: Run): LiveText {
  let offset = 0;
  let pending = "";
  let timer: NodeJS.Timeout | undefined;
  let sending: Promise<void> = Promise.resolve();
  return {
    add(text) {
      pending += text;
      timer ??= setTimeout(flush, BATCH_MS);
    },
    async end() {
      flush();
      await sending;
    },
  };

  function flush(): void {
    clearTimeout(timer);
    timer = undefined;
    if (pending === "") return;
    const delta: TextDelta = { type: "delta", epoch: run.epoch, round: run.round, offset, after: run.events, text: pending };
    offset += pending.length;
    pending = "";
    sending = sending.then(() => state.live(keys.live(run.runId), delta as unknown as Json)).catch(() => undefined);
  }
}
