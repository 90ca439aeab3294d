import { isJsonObject, type Json, type JsonObject } from "@toolbus/contracts";

/**
 * Translates the parameters to JSON Schema 2020-12 without keywords that only draft-07 has, as far as the meaning stays the same. Drops `$schema` and
 * the root's `$id`. Replaces references into `definitions` or `$defs` with their targets. Changes `exclusiveMinimum: true` beside a `minimum` to the
 * bound. Anything that cannot be translated (a list of `items`, `dependencies`, a schema that contains itself) remains, and the lint refuses it and
 * says what to write instead. Always returns a copy, because a definition that was hashed and pinned must not change with the caller's object.
 */
export function translateSchema(schema: JsonObject): JsonObject {
  const { $schema, $id: _id, id, definitions, $defs, ...rest } = schema;
  const shared = new Map<string, Json>();
  for (const [word, parts] of [["definitions", definitions] as const, ["$defs", $defs] as const])
    if (isJsonObject(parts)) for (const [name, part] of Object.entries(parts)) shared.set(`#/${word}/${name}`, part);
  const root = {
    // An unknown dialect remains, so that the lint refuses it.
    ...($schema === undefined || (typeof $schema === "string" && KNOWN.test($schema)) ? {} : { $schema }),
    ...(id === undefined || typeof id === "string" ? {} : { id }),
    ...rest,
  };
  return translateObject(root, { shared, inside: [], room: { left: MAX_INLINED } });
}

interface Scope {
  readonly shared: ReadonlyMap<string, Json>;
  /** The chain of references that lead here. A schema contains itself if its reference is repeated. */
  readonly inside: readonly string[];
  /** The number of references that may still be expanded. References may multiply so much that expanding them would never end. */
  readonly room: { left: number };
}

const KNOWN = /^https?:\/\/json-schema\.org\/(draft\/2020-12|draft-07)\/schema#?$/;
const MAX_INLINED = 256;

function translate(schema: Json, scope: Scope): Json {
  return isJsonObject(schema) ? translateObject(schema, scope) : schema;
}

function translateObject(schema: JsonObject, scope: Scope): JsonObject {
  const { $ref, ...rest } = schema;
  if (typeof $ref === "string") {
    const target = scope.shared.get(decoded($ref));
    if (isJsonObject(target) && !scope.inside.includes($ref) && scope.room.left > 0) {
      scope.room.left--;
      return translateObject({ ...target, ...rest }, { ...scope, inside: [...scope.inside, $ref] });
    }
  }
  return Object.fromEntries(Object.entries(withBounds(schema)).map(([word, value]) => [word, translateWord(word, value, scope)]));
}

function translateWord(word: string, value: Json, scope: Scope): Json {
  switch (word) {
    case "properties":
      return isJsonObject(value) ? Object.fromEntries(Object.entries(value).map(([name, part]) => [name, translate(part, scope)])) : value;
    case "items":
    case "additionalProperties":
    case "propertyNames":
      return translate(value, scope);
    default:
      return structuredClone(value);
  }
}

/** Converts the bounds of draft-04, which generators still write, to the current form. */
function withBounds(schema: JsonObject): JsonObject {
  const bounded: Record<string, Json> = { ...schema };
  for (const [exclusive, inclusive] of [
    ["exclusiveMinimum", "minimum"],
    ["exclusiveMaximum", "maximum"],
  ] as const) {
    const bound = bounded[inclusive];
    if (typeof bounded[exclusive] !== "boolean") continue;
    if (bounded[exclusive] && bound !== undefined) {
      bounded[exclusive] = bound;
      delete bounded[inclusive];
    } else delete bounded[exclusive];
  }
  return bounded;
}

/** Returns the pointer of a reference, with "~1" and "%20" decoded. */
function decoded(ref: string): string {
  try {
    return decodeURIComponent(ref).replaceAll("~1", "/").replaceAll("~0", "~");
  } catch {
    return ref;
  }
}
