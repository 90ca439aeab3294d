import { isJsonObject, type Json, type JsonObject } from "@toolbus/contracts";

/**
 * The parameters in JSON Schema 2020-12 without keywords that only draft-07 has, as far as the meaning stays the same: `$schema` and the root's `$id` are
 * dropped; references into `definitions` or `$defs` are replaced by what they name; `exclusiveMinimum: true` beside a `minimum` becomes the bound. Anything
 * that cannot be translated (a list of `items`, `dependencies`, a schema that contains itself) stays, and the lint refuses it and says what to write
 * instead. Always a copy: what is hashed and pinned must not change if the caller changes its object.
 */
export function translateSchema(schema: JsonObject): JsonObject {
  const { $schema, $id: _id, id, definitions, $defs, ...rest } = schema;
  const shared = new Map<string, Json>();
  for (const [word, parts] of [["definitions", definitions] as const, ["$defs", $defs] as const])
    if (isJsonObject(parts)) for (const [name, part] of Object.entries(parts)) shared.set(`#/${word}/${name}`, part);
  const root = {
    // An unknown dialect stays, to be refused.
    ...($schema === undefined || (typeof $schema === "string" && KNOWN.test($schema)) ? {} : { $schema }),
    ...(id === undefined || typeof id === "string" ? {} : { id }),
    ...rest,
  };
  return translateObject(root, { shared, inside: [], room: { left: MAX_INLINED } });
}

interface Scope {
  readonly shared: ReadonlyMap<string, Json>;
  /** The chain of references that lead here: a repeated one contains itself. */
  readonly inside: readonly string[];
  /** References may multiply so much that expanding them would never end. */
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

/** The pointer of a reference: "~1" and "%20" are decoded. */
function decoded(ref: string): string {
  try {
    return decodeURIComponent(ref).replaceAll("~1", "/").replaceAll("~0", "~");
  } catch {
    return ref;
  }
}
