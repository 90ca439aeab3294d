import { unknownField } from "../unknown-field.ts";

/** What an author passed to `defineTool`, before it is known to be a specification. */
interface Given {
  readonly name?: unknown;
  readonly kind?: unknown;
  readonly idempotency?: unknown;
}

/**
 * Returns why `defineTool` cannot use what it was given, as one sentence, or null. The compiler tells most of this to an author in TypeScript. An author
 * in JavaScript reads it here, and the schema of a definition would name fields that the author did not write. `fields` are those that are read.
 */
export function specFault(spec: Given, fields: readonly string[]): string | null {
  const { name, kind } = spec;
  if (typeof name !== "string" || !NAME.test(name))
    return `The tool ${JSON.stringify(name)} has an invalid definition: a name has lower-case letters, digits and "_", begins with a letter, and has 64 characters at most. Use a name such as ${exampleOf(name)}.`;
  if (typeof kind !== "string" || !KINDS.includes(kind))
    return `The tool "${name}" has the unknown kind ${JSON.stringify(kind)}: use "read", "compute" or "write".`;
  // An object of a class may have fields of its own, which its handlers use.
  const unknown = isPlain(spec) ? unknownField(spec, fields) : null;
  if (unknown !== null) return `The tool "${name}" ${unknown}`;
  return kind === "write" ? idempotencyFault(name, spec.idempotency) : null;
}

const NAME = /^[a-z][a-z0-9_]{0,63}$/;
const KINDS: readonly string[] = ["read", "compute", "write"];

/** Returns a name near to the one that the author chose. */
function exampleOf(name: unknown): string {
  const made = (typeof name === "string" ? name : "")
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "_")
    .replace(/^[^a-z]+|_+$/g, "");
  return made !== "" && NAME.test(made) ? made : "look_up_order";
}

function isPlain(spec: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(spec);
  return prototype === Object.prototype || prototype === null;
}

/** Checks only the fields of the mode that the author chose. */
function idempotencyFault(name: string, idempotency: unknown): string | null {
  const { mode, ...more } = (typeof idempotency === "object" ? (idempotency ?? {}) : {}) as Readonly<Record<string, unknown>>;
  if (mode === undefined)
    return `The write "${name}" must say its "idempotency", such as { mode: "none" }: the modes are key, reconcile and none.`;
  const known = typeof mode === "string" && Object.hasOwn(MODES, mode) ? MODES[mode] : undefined;
  if (typeof mode !== "string" || !known)
    return `The write "${name}" has the unknown idempotency ${JSON.stringify(mode)}: use "key", "reconcile" or "none".`;
  const unknown = unknownField(more, known);
  if (unknown !== null && known.length === 0)
    return `The write "${name}" has the idempotency "${mode}", which has no other fields: leave out ${Object.keys(more).join(", ")}.`;
  if (unknown !== null) return `The idempotency of the write "${name}" ${unknown}`;
  const { keepsForMs } = more;
  if (mode !== "key" || (Number.isInteger(keepsForMs) && Number(keepsForMs) >= 1000)) return null;
  return `The write "${name}" has the idempotency "key" and needs "keepsForMs": say for how many milliseconds the target knows a key, as a whole number from 1000.`;
}

const MODES: Readonly<Record<string, readonly string[]>> = { key: ["keepsForMs"], reconcile: [], none: [] };
