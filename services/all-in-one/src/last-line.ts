/**
 * Passes text on as it arrives, except for its last line, which waits until it is clear whether another process reports it. It does not wait long: a line
 * from a few seconds ago, such as one about waiting for a server, was not the last word.
 */
export interface LastLineHeld {
  write(text: string): void;
  /** Passes on what was held, and from now on everything at once. */
  release(): void;
  /** Forgets the last line. */
  drop(): void;
}

export function lastLineHeld(handOn: (text: string) => void, afterWaiting: (act: () => void) => () => void = afterSeconds): LastLineHeld {
  let held = "";
  let released = false;
  let forget = (): void => undefined;
  return {
    write(text) {
      if (released) return handOn(text);
      const all = held + text;
      // The break at the very end belongs to the last line.
      const end = all.lastIndexOf("\n", all.length - 2) + 1;
      held = all.slice(end);
      if (end > 0) handOn(all.slice(0, end));
      forget();
      forget = afterWaiting(handOnHeld);
    },
    release() {
      released = true;
      forget();
      handOnHeld();
    },
    drop() {
      forget();
      held = "";
    },
  };

  function handOnHeld(): void {
    const line = held;
    held = "";
    if (line !== "") handOn(line);
  }
}

/** A process that has said why it ends may take two seconds to end: that is how long a connection attempt may still run. */
const HELD_MS = 4000;

function afterSeconds(act: () => void): () => void {
  const timer = setTimeout(act, HELD_MS);
  return () => clearTimeout(timer);
}
