/** Writes the output of several processes as whole lines, each after the name of its process. */
export interface NamedLines {
  write(name: string, text: string): void;
  /** Writes the unfinished lines of one process, or of all. */
  end(name?: string): void;
}

/**
 * Returns the writer of the lines. A process writes in pieces that may end anywhere. A line is written when it is complete, so that lines of two
 * processes never mix.
 */
export function namedLines(write: (line: string) => void): NamedLines {
  const begun = new Map<string, string>();
  return {
    write(name, text) {
      const lines = ((begun.get(name) ?? "") + text).split("\n");
      begun.set(name, lines.pop() ?? "");
      for (const line of lines) write(line === "" ? "\n" : `${name}: ${line}\n`);
    },
    end(name) {
      for (const [one, line] of [...begun].filter(([found]) => name === undefined || found === name)) {
        begun.delete(one);
        if (line !== "") write(`${one}: ${line}\n`);
      }
    },
  };
}
