import type { Json } from "@toolbus/contracts";

/**
 * The JSON pointer (RFC 6901) of a member. A pointer over 1,000 characters is replaced by that of its parent, which is valid as well, so that a hostile
 * name is not repeated again and again.
 */
export function under(at: string, ...names: readonly (string | number)[]): string {
  let pointer = at;
  for (const name of names) {
    const token = String(name);
    if (pointer.length + token.length > MAX_LENGTH) return pointer;
    pointer += `/${token.replaceAll("~", "~0").replaceAll("/", "~1")}`;
  }
  return pointer;
}

/** The value at the pointer; undefined if there is none. Only own members count. */
export function valueAt(root: Json, pointer: string): Json | undefined {
  if (pointer === "") return root;
  if (!pointer.startsWith("/")) return undefined;
  let value: Json | undefined = root;
  for (const token of pointer.slice(1).split("/")) {
    if (typeof value !== "object" || value === null) return undefined;
    const name = token.replaceAll("~1", "/").replaceAll("~0", "~");
    if (!Object.hasOwn(value, name)) return undefined;
    value = (value as Readonly<Record<string, Json>>)[name];
  }
  return value;
}

const MAX_LENGTH = 1000;
