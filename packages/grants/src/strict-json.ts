import type { Json, JsonObject, Parsed, Problem } from "@toolbus/contracts";
import { canonicalJson } from "./canonical-json.ts";
import { FORBIDDEN_KEYS, MAX_JSON_DEPTH, plainText } from "./plain-json.ts";

/** The largest text that the strict parser reads, in bytes of UTF-8. */
export const MAX_JSON_BYTES = 64 * 1024;

/**
 * Parses JSON that all readers parse in the same way. Refuses duplicate keys, integers beyond 2^53 - 1 and numbers out of range (both change
 * silently), keys that access prototypes, lone surrogates, more than 32 levels and more than `maxBytes`. Returns the first eight faults, each with
 * its JSON Pointer.
 */
export function parseStrictJson(text: string, maxBytes = MAX_JSON_BYTES): Parsed<Json> {
  if (isOver(text, maxBytes)) return refused("", `is over ${maxBytes} bytes`);
  let value: Json;
  try {
    value = JSON.parse(text);
  } catch {
    return refused("", "is not JSON");
  }
  const problems = faultsOf(text);
  return problems.length > 0 ? { ok: false, problems } : { ok: true, value };
}

/** Parses the arguments of a call as they arrive. They must be strict JSON, an object, and already in canonical form, byte for byte. */
export function parseCanonicalArguments(text: string): Parsed<JsonObject> {
  const plain = plainArguments(text);
  if (plain) return { ok: true, value: plain };
  const parsed = parseStrictJson(text);
  if (!parsed.ok) return parsed;
  const { value } = parsed;
  if (!isObject(value)) return refused("", "must be a JSON object");
  if (canonicalJson(value) !== text) return refused("", "is not in canonical form (RFC 8785)");
  return { ok: true, value };
}

/** Returns arguments whose text is that of a plain value, and so canonical and strict. Returns null for all others, also if they are right. */
function plainArguments(text: string): JsonObject | null {
  if (isOver(text, MAX_JSON_BYTES)) return null;
  try {
    const value: Json = JSON.parse(text);
    return isObject(value) && plainText(value) === text ? value : null;
  } catch {
    return null;
  }
}

/** Returns whether a text has more bytes of UTF-8. The length alone decides for most texts, because a UTF-16 unit has one to three bytes. */
function isOver(text: string, maxBytes: number): boolean {
  return text.length > maxBytes || (text.length * 3 > maxBytes && Buffer.byteLength(text) > maxBytes);
}

/** Returns true for a JSON object, which is neither null nor an array. */
export function isObject(value: Json): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

const MAX_FAULTS = 8;

/** A container that is open while the text is read. It has the keys that were read so far or, for an array, the index of the next element. */
interface Open {
  /** The container around this one. The path is built only for a fault. */
  readonly outer: Open | undefined;
  readonly keys: Set<string> | null;
  member: string;
  index: number;
}

/**
 * Finds the faults that JSON.parse tolerates. The text is valid JSON at this point, so the first character shows the kind of a token, and the grammar
 * is not checked again.
 */
function faultsOf(text: string): readonly Problem[] {
  const faults: Problem[] = [];
  const open: Open[] = [];
  const token = /[{}[\],]|"[^"\\]*(?:\\.[^"\\]*)*"(\s*:)?|-?\d[\d.eE+-]*/g;
  for (let match = token.exec(text); match && faults.length < MAX_FAULTS; match = token.exec(text)) {
    const [source, colon] = match;
    const inside = open.at(-1);
    switch (source[0]) {
      case "{":
      case "[":
        if (open.length === MAX_JSON_DEPTH)
          return [...faults, { path: pathOf(inside), message: `is nested deeper than ${MAX_JSON_DEPTH} levels` }];
        open.push({ outer: inside, keys: source === "{" ? new Set() : null, member: "", index: 0 });
        break;
      case "}":
      case "]":
        open.pop();
        break;
      case ",":
        if (inside) inside.index++;
        break;
      case '"':
        if (colon !== undefined && inside?.keys) enterMember(inside, inside.keys, source.slice(0, -colon.length), faults);
        else checkString(source, inside, faults);
        break;
      default:
        checkNumber(source, inside, faults);
    }
  }
  return faults;
}

/** Moves to the member with this key, and notes a fault of the key. */
function enterMember(object: Open, keys: Set<string>, source: string, faults: Problem[]): void {
  const key = textIn(source);
  object.member = key;
  if (!key.isWellFormed()) faults.push({ path: pathOf(object.outer), message: "has a key with a lone surrogate" });
  else if (FORBIDDEN_KEYS.has(key)) faults.push({ path: pathOf(object), message: "is a key that is not allowed" });
  // Keys are compared after decoding, because "a" and "\u0061" are the same key.
  else if (keys.has(key)) faults.push({ path: pathOf(object), message: "appears more than once" });
  else keys.add(key);
}

function checkString(source: string, inside: Open | undefined, faults: Problem[]): void {
  if (!textIn(source).isWellFormed()) faults.push({ path: pathOf(inside), message: "holds a lone surrogate" });
}

/** Returns the content of a string token. Without an escape, this is the text between the quotes. */
function textIn(source: string): string {
  return source.includes("\\") ? (JSON.parse(source) as string) : source.slice(1, -1);
}

function checkNumber(source: string, inside: Open | undefined, faults: Problem[]): void {
  const value = Number(source);
  if (!Number.isFinite(value)) faults.push({ path: pathOf(inside), message: "is a number out of range" });
  else if (Number.isInteger(value) && !Number.isSafeInteger(value))
    faults.push({ path: pathOf(inside), message: "is an integer beyond 2^53 - 1; send it as a string" });
  else if (value === 0 && /^[^eE]*[1-9]/.test(source))
    faults.push({ path: pathOf(inside), message: "is a number so small that it would be read as 0" });
}

/** Returns the JSON Pointer (RFC 6901) of the next value in this container. */
function pathOf(inside: Open | undefined): string {
  if (!inside) return "";
  const outer = pathOf(inside.outer);
  if (!inside.keys) return `${outer}/${inside.index}`;
  return `${outer}/${inside.member.toWellFormed().replaceAll("~", "~0").replaceAll("/", "~1")}`;
}

function refused(path: string, message: string): { readonly ok: false; readonly problems: readonly Problem[] } {
  return { ok: false, problems: [{ path, message }] };
}
