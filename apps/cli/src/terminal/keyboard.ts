import { createInterface } from "node:readline";

/** Asks a person at a terminal. */
export interface Keyboard {
  /**
   * Asks and returns the typed line. A line that ends in a backslash continues on the next line. Returns null if the input has ended. Rejects with
   * the signal's reason when it aborts.
   */
  ask(question: string, signal: AbortSignal): Promise<string | null>;
}

export interface KeyboardOptions {
  readonly input: NodeJS.ReadStream;
  readonly output: NodeJS.WriteStream;
  /** Called for Ctrl-C while a question is open, because the terminal then sends no signal. */
  readonly onInterrupt: () => void;
}

/**
 * Reads lines at a terminal. It listens only while it asks. Between questions Ctrl-C sends the terminal's signal, and typed lines
 * wait for the next question.
 */
export function keyboard({ input, output, onInterrupt }: KeyboardOptions): Keyboard {
  /** The typed lines, newest first, as readline expects them. */
  let history: string[] = [];
  /** Lines that the user pasted together with the requested line. */
  const ahead: string[] = [];
  let over = false;
  return {
    async ask(question, signal) {
      let text = "";
      for (let prompt = question; ; prompt = "… ") {
        const line = await next(prompt, signal);
        if (line === null) return text === "" ? null : text;
        if (!line.endsWith("\\")) return text + line;
        text += `${line.slice(0, -1)}\n`;
      }
    },
  };

  async function next(prompt: string, signal: AbortSignal): Promise<string | null> {
    signal.throwIfAborted();
    const waiting = ahead.shift();
    if (waiting !== undefined) {
      output.write(`${prompt}${waiting}\n`);
      return waiting;
    }
    if (over) return null;
    const lines = createInterface({ input, output, prompt, history, historySize: 200, removeHistoryDuplicates: true });
    const { promise, resolve, reject } = Promise.withResolvers<string | null>();
    let answered = false;
    const abort = (): void => reject(signal.reason as Error);
    signal.addEventListener("abort", abort, { once: true });
    lines
      .on("line", (line) => {
        if (answered) ahead.push(line);
        else resolve(line);
        answered = true;
      })
      .on("history", (now: string[]) => (history = [...now]))
      .on("SIGINT", onInterrupt)
      .on("close", () => {
        if (!answered) over = true;
        resolve(null);
      });
    lines.prompt();
    try {
      return await promise;
    } finally {
      signal.removeEventListener("abort", abort);
      // The next output must not appear on the line of the question.
      if (!answered) output.write("\n");
      answered = true;
      lines.close();
    }
  }
}
