/** Writes what several processes say as whole lines, each behind the name of the process that said it. */
export interface NamedLines {
  write(name: string, text: string): void;
  /** Writes what was begun and not ended, of one process or of all. */
  end(name?: string): void;
}

/** A process writes in pieces that end anywhere: a line is written when it is whole, so that lines of two never mix. */
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
