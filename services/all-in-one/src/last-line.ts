/**
 * Passes text on as it arrives, except for its last line. The last line waits until it is clear whether another process reports it. It waits only a
 * few seconds, because an older line, such as one about waiting for a server, is not the reason why a process ends.
 */
export interface LastLineHeld {
  write(text: string): void;
  /** Passes on the held line. From now on everything is passed on at once. */
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
      // A line break at the very end belongs to the last line.
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

/**
 * How long the last line waits, in milliseconds. A process that has said why it ends may need two seconds to end, because a connection attempt may
 * still run that long.
 */
const HELD_MS = 4000;

function afterSeconds(act: () => void): () => void {
  const timer = setTimeout(act, HELD_MS);
  return () => clearTimeout(timer);
}
