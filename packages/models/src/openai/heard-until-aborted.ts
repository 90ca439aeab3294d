import type { ModelContext } from "../model-provider.ts";
import type { TurnListener } from "./chat-turn.ts";

/** Returns the context's listeners. They receive nothing after the signal has aborted, even if it aborts between two deltas of one event. */
export function heardUntilAborted({ signal, onText, onArguments }: ModelContext): TurnListener {
  return {
    onText: (delta) => {
      if (!signal.aborted) onText(delta);
    },
    ...(onArguments === undefined
      ? {}
      : {
          onArguments: (delta) => {
            if (!signal.aborted) onArguments(delta);
          },
        }),
  };
}
