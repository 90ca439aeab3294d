import type { Json, JsonObject, Parsed, Problem } from "@toolbus/contracts";
import { canonicalJson } from "./canonical-json.ts";

/** The largest text that the strict parser reads, in bytes of UTF-8. */
export const MAX_JSON_BYTES = 64 * 1024;

/** The deepest nesting of arrays and objects that it follows. */
export const MAX_JSON_DEPTH = 32;

/**
 * Parses JSON whose meaning no reader can disagree about. Besides what is no JSON it refuses duplicate keys, integers beyond 2^53 - 1 and
 * numbers out of range (both change silently), keys that reach for prototypes, lone surrogates, more than 32 levels and more than 64 KiB.
 * Names at most the first eight faults, by JSON Pointer.
 */
export function parseStrictJson(text: string): Parsed<Json> {
  // The first comparison spares counting the bytes of something huge.
  if (text.length > MAX_JSON_BYTES || Buffer.byteLength(text) > MAX_JSON_BYTES) return refused("", `is over ${MAX_JSON_BYTES} bytes`);
  let value: Json;
  try {
    value = JSON.parse(text);
  } catch {
    return refused("", "is not JSON");
  }
  const problems = faultsOf(text);
  return problems.length > 0 ? { ok: false, problems } : { ok: true, value };
}

/** Parses the arguments of a call as they travel: strict JSON, an object, and its own canonical form byte for byte. */
export function parseCanonicalArguments(text: string): Parsed<JsonObject> {
  const parsed = parseStrictJson(text);
  if (!parsed.ok) return parsed;
  const { value } = parsed;
  if (!isObject(value)) return refused("", "must be a JSON object");
  if (canonicalJson(value) !== text) return refused("", "is not in canonical form (RFC 8785)");
  return { ok: true, value };
}

/** True for a JSON object: neither null nor an array. */
export function isObject(value: Json): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

const MAX_FAULTS = 8;
const FORBIDDEN_KEYS: ReadonlySet<string> = new Set(["__proto__", "constructor", "prototype"]);

/** A container that is open while the text is read: its keys so far, or, for an array, the index that comes next. */
interface Open {
  readonly path: string;
  readonly keys: Set<string> | null;
  member: string;
  index: number;
}

/**
 * What JSON.parse forgives. The text is known to be JSON by now, so its tokens can be told apart by their first character and nothing
 * about grammar is checked again.
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
        open.push({ path: pathOf(inside), keys: source === "{" ? new Set() : null, member: "", index: 0 });
        break;
      case "}":
      case "]":
        open.pop();
        break;
      case ",":
        if (inside) inside.index++;
        break;
      case '"':
        if (colon !== undefined && inside?.keys) faults.push(...enterMember(inside, inside.keys, source.slice(0, -colon.length)));
        else faults.push(...stringFaults(source, pathOf(inside)));
        break;
      default:
        faults.push(...numberFaults(source, pathOf(inside)));
    }
  }
  return faults;
}

/** Moves on to the member with this key and says what is wrong with the key. */
function enterMember(object: Open, keys: Set<string>, source: string): readonly Problem[] {
  const key: string = JSON.parse(source);
  object.member = key;
  const path = pathOf(object);
  if (!key.isWellFormed()) return [{ path: object.path, message: "has a key with a lone surrogate" }];
  if (FORBIDDEN_KEYS.has(key)) return [{ path, message: "is a key that is not allowed" }];
  // Compared after decoding: "a" and "\u0061" are one key.
  if (keys.has(key)) return [{ path, message: "appears more than once" }];
  keys.add(key);
  return [];
}

function stringFaults(source: string, path: string): readonly Problem[] {
  const value: string = JSON.parse(source);
  return value.isWellFormed() ? [] : [{ path, message: "holds a lone surrogate" }];
}

function numberFaults(source: string, path: string): readonly Problem[] {
  const value = Number(source);
  if (!Number.isFinite(value)) return [{ path, message: "is a number out of range" }];
  if (Number.isInteger(value) && !Number.isSafeInteger(value))
    return [{ path, message: "is an integer beyond 2^53 - 1; send it as a string" }];
  if (value === 0 && /^[^eE]*[1-9]/.test(source)) return [{ path, message: "is a number too small to be told from 0" }];
  return [];
}

/** The JSON Pointer (RFC 6901) of the value that comes next in this container. */
function pathOf(inside: Open | undefined): string {
  if (!inside) return "";
  if (!inside.keys) return `${inside.path}/${inside.index}`;
  return `${inside.path}/${inside.member.toWellFormed().replaceAll("~", "~0").replaceAll("/", "~1")}`;
}

function refused(path: string, message: string): { readonly ok: false; readonly problems: readonly Problem[] } {
  return { ok: false, problems: [{ path, message }] };
}
