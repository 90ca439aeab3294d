import { EXIT } from "../toolbus/exit-codes.ts";
import { Failure } from "../toolbus/failure.ts";

/** The handling of Ctrl-C. A press calls the handler that the command set. Without a handler the command leaves. */
export interface Interrupts {
  /** Aborts when the command must leave. The reason is a Failure with the exit code of an interruption. */
  readonly leave: AbortSignal;
  /** Reports one press of Ctrl-C that was read as a key. */
  press(): void;
  /** Reports the signal that a press sends while no keys are read. A second signal at the same time belongs to the same press. */
  signalled(): void;
  /** Reports that another process stops this one, with SIGTERM or by the end of the parent process. The command leaves, even if a handler is set. */
  terminated(): void;
  /** Sets the handler that the next press calls instead of leaving. Returns a function that removes the handler. */
  first(handle: () => void): () => void;
}

// The terminal signals every foreground process, and the parent process may forward the signal, so one press can arrive twice.
const ONE_PRESS_MS = 60;

/** Creates the handling of Ctrl-C. `quit` must end the process. It is called if a user presses Ctrl-C again while the command is leaving. */
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
