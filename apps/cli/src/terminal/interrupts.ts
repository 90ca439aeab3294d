import { EXIT } from "../toolbus/exit-codes.ts";
import { Failure } from "../toolbus/failure.ts";

/** What Ctrl-C means at the moment: first what the command set, then leaving. */
export interface Interrupts {
  /** Aborts when the command must leave; the reason is a Failure with the exit code of an interruption. */
  readonly leave: AbortSignal;
  /** One press of Ctrl-C, as a key. */
  press(): void;
  /** The signal that a press sends when no keys are read; another one at the same time is the same press. */
  signalled(): void;
  /** Another process stops this one (SIGTERM, or the end of the process that started it): it leaves, whatever a press would do. */
  terminated(): void;
  /** The next press calls this instead of leaving. Returns a function that withdraws it. */
  first(handle: () => void): () => void;
}

// The terminal signals every foreground process, and the parent of this one may pass the signal on: one press can arrive twice.
const ONE_PRESS_MS = 60;

/** `quit` ends the process, when a user presses again while the command is leaving. */
export function interrupts(now: () => number, quit: () => void): Interrupts {
  const leaving = new AbortController();
  let handle: (() => void) | null = null;
  let last = -Infinity;
  return {
    leave: leaving.signal,
    press,
    signalled() {
      if (isAnother()) press();
    },
    terminated() {
      if (isAnother()) leaveOrQuit();
    },
    first(next) {
      handle = next;
      return () => {
        if (handle === next) handle = null;
      };
    },
  };

  function press(): void {
    if (leaving.signal.aborted || handle === null) return leaveOrQuit();
    const once = handle;
    handle = null;
    once();
  }

  function leaveOrQuit(): void {
    if (leaving.signal.aborted) return quit();
    leaving.abort(new Failure(EXIT.interrupted, "Interrupted."));
  }

  function isAnother(): boolean {
    const at = now();
    const before = last;
    last = at;
    return at - before >= ONE_PRESS_MS;
  }
}
