/** The end of a JSON value in a text, or the place of the first fault with the description of the expected text. */
export type Extent = { readonly ok: true; readonly end: number } | { readonly ok: false; readonly at: number; readonly expected: string };

// The maximum nesting depth. No real argument is nested so deeply. The limit protects the stack, because every level is one function call.
const MAX_DEPTH = 64;

/** The description of the expected text, for a value that is nested too deeply. */
export const TOO_DEEP = "a value that is less deeply nested";

/**
 * Finds the end of the JSON value (RFC 8259) that begins at `from`. Unlike `JSON.parse`, it always returns the place of a fault, and any text may
 * follow the value.
 */
export function jsonExtent(text: string, from: number): Extent {
  let at = from;
  let expected = "";
  return value(0) ? { ok: true, end: at } : { ok: false, at, expected };

  function value(depth: number): boolean {
    space();
    if (depth > MAX_DEPTH) return fault(TOO_DEEP);
    if (text[at] === "{") return members("}", () => string("a name in double quotes") && colon() && value(depth + 1));
    if (text[at] === "[") return members("]", () => value(depth + 1));
    if (text[at] === '"') return string("a text in double quotes");
    return token(/true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y) || fault(valueHint());
  }

  function members(close: string, member: () => boolean): boolean {
    at += 1;
    space();
    if (text[at] === close) return skip();
    for (;;) {
      space();
      if (!member()) return false;
      space();
      if (text[at] === close) return skip();
      if (text[at] !== ",") return fault(`"," or "${close}"`);
      at += 1;
    }
  }

  function colon(): boolean {
    space();
    return text[at] === ":" ? skip() : fault('":"');
  }

  function string(what: string): boolean {
    if (text[at] !== '"') return fault(what);
    at += 1;
    while (token(/[^"\\\u0000-\u001f]+|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y));
    if (text[at] === '"') return skip();
    if (text[at] === "\\") return fault("an escape such as \\n or \\u00e9");
    return fault(at < text.length ? "a line break written as \\n, or the closing quote" : "a closing double quote");
  }

  function valueHint(): string {
    return /[a-zA-Z'‘’“”]/.test(text[at] ?? "") ? "a value (a text stands in double quotes)" : "a value";
  }

  function token(pattern: RegExp): boolean {
    pattern.lastIndex = at;
    const found = pattern.exec(text);
    at += found?.[0].length ?? 0;
    return found !== null;
  }

  function space(): void {
    token(/[ \t\r\n]*/y);
  }

  function skip(): true {
    at += 1;
    return true;
  }

  function fault(what: string): false {
    expected = what;
    return false;
  }
}

/** Returns a place in a text as people count it, such as `line 2, character 5`. For a text of one line, it omits the line. */
export function placeIn(text: string, at: number): string {
  const before = text.slice(0, at).split("\n");
  const character = `character ${(before.at(-1) ?? "").length + 1}`;
  return text.includes("\n") ? `line ${before.length}, ${character}` : character;
}
