/** The calls that this process is working on. It works on each call at most once at a time, and each call can be cancelled. */
export interface CallsUnderWay {
  /** Registers a call. Returns null if the call is already under way. */
  enter(callId: string, options: { readonly write: boolean }): CallEntry | null;
  /** Returns the call while it is under way. */
  find(callId: string): UnderWay | undefined;
}

export interface UnderWay {
  readonly write: boolean;
  /** Aborts the call's signal. */
  readonly cancel: () => void;
}

export interface CallEntry {
  /** Aborts when nobody waits for the call any more. */
  readonly cancelled: AbortSignal;
  readonly leave: () => void;
}

export function callsUnderWay(): CallsUnderWay {
  const calls = new Map<string, UnderWay>();
  return {
    enter(callId, { write }) {
      if (calls.has(callId)) return null;
      const controller = new AbortController();
      calls.set(callId, { write, cancel: () => controller.abort(new Error(`The call ${callId} was cancelled.`)) });
      return { cancelled: controller.signal, leave: () => void calls.delete(callId) };
    },
    find: (callId) => calls.get(callId),
  };
}
