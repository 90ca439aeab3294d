/** Receives the text of a server-sent event stream, in pieces of any size. */
export interface EventReader {
  push(text: string): void;
  /** The stream is over. An event without its blank line is reported too, with `open` true, because some servers leave out the last blank line. */
  end(): void;
}

const RETURN = 13;

/**
 * Reads server-sent events (WHATWG HTML, 9.2) and reports the data of each. Names, ids and comments are not passed on: no vendor uses them for
 * anything that is not in the data too.
 */
export function eventReader(onData: (data: string, open: boolean) => void): EventReader {
  let rest = "";
  let data: string | null = null;

  return {
    push: (piece) => {
      // A piece inside a line is only kept: joining and searching it each time would take quadratic time.
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
