/** A part of a regular expression. It matches one character, a position, or a combination of parts. */
export type Part =
  | { readonly kind: "char"; readonly code: number }
  /** One character, as ECMAScript's own engine judges it. The source is a class, an escape or the dot. */
  | { readonly kind: "set"; readonly source: string }
  | { readonly kind: "begin" | "end" | "boundary" | "inside" }
  | { readonly kind: "sequence" | "either"; readonly parts: readonly Part[] }
  | { readonly kind: "repeat"; readonly part: Part; readonly min: number; readonly max: number };

/** A whole pattern. All of its lookaheads are at the beginning of the text, so each one can be tested separately. */
export interface Pattern {
  readonly part: Part;
  /** The lookaheads after `^`. The text must begin with the part if `wanted` is true, and must not begin with it otherwise. */
  readonly ahead: readonly { readonly part: Part; readonly wanted: boolean }[];
}

/** The error for syntax that no automaton can handle. Its message completes a sentence that begins with "The pattern". */
export class PatternFault extends Error {
  override readonly name = "PatternFault";
}

/**
 * Reads a pattern in ECMAScript's syntax with the flag `u`. The caller has already compiled it as a `RegExp`. Throws `PatternFault` for
 * back-references, flag modifiers and look-around. It accepts lookaheads right after `^`, because generators of schemas write them.
 */
export function parsePattern(source: string): Pattern {
  let at = 0;
  const ahead = lookaheads();
  const part = disjunction();
  if (at < source.length) throw new PatternFault("cannot be read");
  if (ahead.length === 0) return { part, ahead };
  // In ECMAScript the lookaheads would apply only to the first alternative.
  if (part.kind === "either") throw new PatternFault(LOOKS);
  return { part: { kind: "sequence", parts: [{ kind: "begin" }, part] }, ahead };

  function lookaheads(): Pattern["ahead"] {
    if (!/^\^\(\?[=!]/.test(source)) return [];
    const found: Pattern["ahead"][number][] = [];
    for (at = 1; /^\(\?[=!]/.test(source.slice(at, at + 3)); at++) {
      const wanted = source[at + 2] === "=";
      at += 3;
      found.push({ part: { kind: "sequence", parts: [{ kind: "begin" }, disjunction()] }, wanted });
    }
    return found;
  }

  function disjunction(): Part {
    const parts = [alternative()];
    while (source[at] === "|") {
      at++;
      parts.push(alternative());
    }
    return parts.length === 1 && parts[0] ? parts[0] : { kind: "either", parts };
  }

  function alternative(): Part {
    const parts: Part[] = [];
    while (at < source.length && source[at] !== "|" && source[at] !== ")") parts.push(repeated(atom()));
    return parts.length === 1 && parts[0] ? parts[0] : { kind: "sequence", parts };
  }

  function atom(): Part {
    switch (source[at]) {
      case "(":
        return group();
      case "[":
        return set(classEnd());
      case "\\":
        return escape();
      case ".":
        return set(at + 1);
      case "^":
        at++;
        return { kind: "begin" };
      case "$":
        at++;
        return { kind: "end" };
      default: {
        const code = source.codePointAt(at) ?? 0;
        at += code > 0xffff ? 2 : 1;
        return { kind: "char", code };
      }
    }
  }

  function group(): Part {
    at++;
    if (source[at] === "?") {
      const [head] = /^\?(?:<?[=!]|:|<[^>]*>)?/.exec(source.slice(at, at + MAX_NAME)) ?? [""];
      if (/[=!]$/.test(head)) throw new PatternFault(LOOKS);
      if (head === "?") throw new PatternFault("changes flags inside a group, or has a name that is too long");
      at += head.length;
    }
    const inner = disjunction();
    at++;
    return inner;
  }

  function classEnd(): number {
    let end = at + 1;
    while (end < source.length && source[end] !== "]") end += source[end] === "\\" ? 2 : 1;
    return end + 1;
  }

  function escape(): Part {
    const next = source[at + 1] ?? "";
    if (/[1-9k]/.test(next)) throw new PatternFault("refers back to a group (a back-reference), which has no time bound");
    if (next === "b" || next === "B") {
      at += 2;
      return { kind: next === "b" ? "boundary" : "inside" };
    }
    // A pair of surrogates is one character.
    const [text] =
      /^\\(?:[pPu]\{[^}]*\}|u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|c[A-Za-z]|[^])/.exec(
        source.slice(at, at + MAX_NAME),
      ) ?? ["\\"];
    return set(at + text.length);
  }

  function set(end: number): Part {
    const part: Part = { kind: "set", source: source.slice(at, end) };
    at = end;
    return part;
  }

  function repeated(part: Part): Part {
    const [text, symbol, least, comma, most] = /^(?:([*+?])|\{(\d+)(?:(,)(\d*))?\})\??/.exec(source.slice(at, at + MAX_COUNT)) ?? [];
    if (text === undefined) return part;
    at += text.length;
    if (symbol !== undefined) return { kind: "repeat", part, min: symbol === "+" ? 1 : 0, max: symbol === "?" ? 1 : Infinity };
    const min = Number(least);
    return { kind: "repeat", part, min, max: comma === undefined ? min : most === "" ? Infinity : Number(most) };
  }
}

const LOOKS = "looks around (lookahead or lookbehind), which has no time bound; a lookahead is accepted only right after ^";
const MAX_NAME = 100;
const MAX_COUNT = 40;
