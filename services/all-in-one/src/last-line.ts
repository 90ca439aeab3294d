/** Hands text on as it comes, but for its last line, which waits until it is clear whether somebody else tells it. */
export interface LastLineHeld {
  write(text: string): void;
  /** Hands on what was held, and from now on everything at once. */
  release(): void;
  /** Forgets the last line. */
  drop(): void;
}

export function lastLineHeld(handOn: (text: string) => void): LastLineHeld {
  let held = "";
  let released = false;
  return {
    write(text) {
      if (released) return handOn(text);
      const all = held + text;
      // The break at the very end belongs to the last line.
      const end = all.lastIndexOf("\n", all.length - 2) + 1;
      held = all.slice(end);
      if (end > 0) handOn(all.slice(0, end));
    },
    release() {
      released = true;
      if (held !== "") handOn(held);
      held = "";
    },
    drop() {
      held = "";
    },
  };
}
