/** Receives the text of a server-sent event stream, in pieces of any size. */
export interface EventReader {
  push(text: string): void;
  /** Ends the stream. If the last event has no blank line after it, reports this event with `open` true, because some servers omit that line. */
  end(): void;
}

const RETURN = 13;

/**
 * Reads server-sent events (WHATWG HTML, 9.2) and reports the data of each. It ignores names, ids and comments, because every vendor repeats their
 * information in the data.
 */
export function eventReader(onData: (data: string, open: boolean) => void): EventReader {
  let rest = "";
  let data: string | null = null;

  return {
    push: (piece) => {
      // A piece without a line end is only stored, because searching the joined text each time would take quadratic time.
      let end = piece.indexOf("\n");
      if (end === -1) {
        rest += piece;
        return;
      }
      end += rest.length;
      const text = rest + piece;
      let from = 0;
      while (end !== -1) {
        line(text, from, end, false);
        from = end + 1;
        end = text.indexOf("\n", from);
      }
      rest = text.slice(from);
    },
    end: () => {
      const text = rest;
      rest = "";
      line(text, 0, text.length, true);
      dispatch(true);
    },
  };

  function line(text: string, from: number, newline: number, open: boolean): void {
    const to = newline > from && text.charCodeAt(newline - 1) === RETURN ? newline - 1 : newline;
    if (to === from) dispatch(open);
    else if (text.startsWith("data:", from)) {
      const value = text.slice(text.startsWith(" ", from + 5) ? from + 6 : from + 5, to);
      data = data === null ? value : `${data}\n${value}`;
    }
  }

  function dispatch(open: boolean): void {
    if (data === null) return;
    const whole = data;
    data = null;
    onData(whole, open);
  }
}
