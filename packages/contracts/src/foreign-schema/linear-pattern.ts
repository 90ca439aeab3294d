import { type Part, parsePattern, PatternFault } from "./pattern-syntax.ts";

/** Spends `steps` of a check. Throws when the steps are used up. */
export type Spend = (steps: number) => void;

/** A compiled pattern. The time of a test is at most proportional to `states` times the number of characters. */
export interface LinearPattern {
  readonly source: string;
  /** The number of states with repeats expanded. */
  readonly states: number;
  /** Returns whether the pattern matches anywhere in the text, as `RegExp.prototype.test` does with the flag `u`. */
  test(text: string, spend: Spend): boolean;
}

/**
 * Compiles a pattern into an automaton that is in several states at once (Thompson), so it never backtracks. ECMAScript's own engine judges each
 * single character, so classes and escapes keep their meaning. Throws `PatternFault`, whose message completes a sentence.
 */
export function linearPattern(source: string, maxStates: number): LinearPattern {
  try {
    // This expression only checks the syntax and is never run.
    void new RegExp(source, "u");
  } catch (error) {
    const why = error instanceof Error ? error.message.slice(error.message.lastIndexOf(": ") + 2) : "";
    throw new PatternFault(`is not an ECMAScript regular expression with the flag u (${why.slice(0, 80)})`);
  }
  const tree = parsePattern(source);
  const sizes = [tree.part, ...tree.ahead.map(({ part }) => part)].map((part) => sizeOf(part) + 1);
  const states = sizes.reduce((sum, size) => sum + size, 0);
  if (!(states <= maxStates)) throw new PatternFault("repeats too often: expanded, it has too many states");
  const program = emit(tree.part, sizes[0] ?? 0);
  const ahead = tree.ahead.map(({ part, wanted }, index) => ({ program: emit(part, sizes[index + 1] ?? 0), wanted }));
  return {
    source,
    states,
    test: (text, spend) => ahead.every((one) => run(one.program, text, spend) === one.wanted) && run(program, text, spend),
  };
}

const CHAR = 0;
const SET = 1;
const SPLIT = 2;
const BEGIN = 3;
const END = 4;
const BOUNDARY = 5;
const INSIDE = 6;
const JUMP = 7;
const MATCH = 8;

interface Program {
  readonly op: Uint8Array;
  /** The next states. For a character, `x` is its code point. For a set, `x` is its index in `sets`. */
  readonly x: Uint32Array;
  readonly y: Uint16Array;
  readonly sets: readonly CharacterSet[];
  readonly scratch: Scratch;
}

/** Buffers that every test reuses. Two tests never run at the same time. */
interface Scratch {
  /** The states for the current character and for the next one. */
  readonly states: Uint16Array;
  readonly following: Uint16Array;
  /** The number of the visit in which each state was last entered. */
  readonly entered: Int32Array;
  visits: number;
}

/** Returns the first of `count` new visit numbers. No earlier test has used them. */
function visits(scratch: Scratch, count: number): number {
  if (scratch.visits + count > 0x7fff_ffff) {
    scratch.entered.fill(0);
    scratch.visits = 1;
  }
  const first = scratch.visits;
  scratch.visits += count;
  return first;
}

function sizeOf(part: Part): number {
  switch (part.kind) {
    case "sequence":
      return part.parts.reduce((sum, one) => sum + sizeOf(one), 0);
    case "either":
      return part.parts.reduce((sum, one) => sum + sizeOf(one) + 2, 0);
    case "repeat": {
      const one = sizeOf(part.part);
      const more = part.max === Infinity ? one + 2 : (part.max - part.min) * (one + 1);
      return part.min * one + more;
    }
    default:
      return 1;
  }
}

function emit(tree: Part, size: number): Program {
  const op = new Uint8Array(size);
  const x = new Uint32Array(size);
  const y = new Uint16Array(size);
  const sets: CharacterSet[] = [];
  const known = new Map<string, number>();
  let next = 0;
  put(tree);
  op[next] = MATCH;
  const scratch = { states: new Uint16Array(size), following: new Uint16Array(size), entered: new Int32Array(size), visits: 1 };
  return { op, x, y, sets, scratch };

  function add(code: number, first = 0): number {
    op[next] = code;
    x[next] = first;
    return next++;
  }

  function put(part: Part): void {
    switch (part.kind) {
      case "char":
        add(CHAR, part.code);
        return;
      case "set":
        add(SET, setOf(part.source));
        return;
      case "begin":
        add(BEGIN);
        return;
      case "end":
        add(END);
        return;
      case "boundary":
        add(BOUNDARY);
        return;
      case "inside":
        add(INSIDE);
        return;
      case "sequence":
        for (const one of part.parts) put(one);
        return;
      case "either":
        putEither(part.parts);
        return;
      case "repeat":
        putRepeat(part);
    }
  }

  function putEither(parts: readonly Part[]): void {
    const jumps: number[] = [];
    parts.forEach((one, index) => {
      const split = index < parts.length - 1 ? add(SPLIT, next + 1) : null;
      put(one);
      if (split === null) return;
      jumps.push(add(JUMP));
      y[split] = next;
    });
    for (const jump of jumps) x[jump] = next;
  }

  function putRepeat({ part, min, max }: Extract<Part, { kind: "repeat" }>): void {
    for (let count = 0; count < min; count++) put(part);
    if (max === Infinity) {
      const split = add(SPLIT, next + 1);
      put(part);
      x[add(JUMP)] = split;
      y[split] = next;
      return;
    }
    const splits: number[] = [];
    for (let count = min; count < max; count++) {
      splits.push(add(SPLIT, next + 1));
      put(part);
    }
    for (const split of splits) y[split] = next;
  }

  function setOf(source: string): number {
    const found = known.get(source);
    if (found !== undefined) return found;
    known.set(source, sets.length);
    return sets.push(new CharacterSet(source)) - 1;
  }
}

/** The part of a pattern that matches one character. */
class CharacterSet {
  readonly #native: RegExp;
  /** The known results for the characters up to 127. They are 0 for unknown, 1 for a match and 2 for no match. */
  readonly #ascii = new Uint8Array(128);

  constructor(source: string) {
    this.#native = new RegExp(`^${source}$`, "u");
  }

  has(code: number): boolean {
    if (code > 127) return this.#native.test(String.fromCodePoint(code));
    const known = this.#ascii[code];
    if (known) return known === 1;
    const has = this.#native.test(String.fromCharCode(code));
    this.#ascii[code] = has ? 1 : 2;
    return has;
  }
}

function run({ op, x, y, sets, scratch }: Program, text: string, spend: Spend): boolean {
  const { entered } = scratch;
  let { states, following } = scratch;
  let count = 0;
  const stack: number[] = [];
  const base = visits(scratch, text.length + 1);
  const anchored = op[0] === BEGIN;
  let steps = 2;
  for (let at = 0; ;) {
    // A match may begin at any character.
    if ((at === 0 || !anchored) && enter(0, at)) return true;
    if (at >= text.length) return false;
    if (count === 0 && anchored) return false;
    const code = text.codePointAt(at) ?? 0;
    const after = at + (code > 0xffff ? 2 : 1);
    spend(steps);
    steps = 1 + count;
    const [these, length] = [states, count];
    [states, following] = [following, states];
    count = 0;
    for (let i = 0; i < length; i++) {
      const state = these[i] ?? 0;
      const takes = op[state] === CHAR ? x[state] === code : sets[x[state] ?? 0]?.has(code);
      if (takes === true && enter(state + 1, after)) return true;
    }
    at = after;
  }

  /** Enters a state and follows every transition that consumes no character. Returns true if it reaches the end of the pattern. */
  function enter(first: number, at: number): boolean {
    stack.push(first);
    for (let state = stack.pop(); state !== undefined; state = stack.pop()) {
      if (entered[state] === base + at) continue;
      entered[state] = base + at;
      steps++;
      switch (op[state]) {
        case MATCH:
          stack.length = 0;
          return true;
        case JUMP:
          stack.push(x[state] ?? 0);
          break;
        case SPLIT:
          stack.push(y[state] ?? 0, x[state] ?? 0);
          break;
        case BEGIN:
          if (at === 0) stack.push(state + 1);
          break;
        case END:
          if (at === text.length) stack.push(state + 1);
          break;
        case BOUNDARY:
          if (isBoundary(text, at)) stack.push(state + 1);
          break;
        case INSIDE:
          if (!isBoundary(text, at)) stack.push(state + 1);
          break;
        default:
          states[count++] = state;
      }
    }
    return false;
  }
}

function isBoundary(text: string, at: number): boolean {
  return isWord(text.charCodeAt(at - 1)) !== isWord(text.charCodeAt(at));
}

function isWord(code: number): boolean {
  return (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || code === 95 || (code >= 97 && code <= 122);
}
