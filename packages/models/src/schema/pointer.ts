import type { Json } from "@toolbus/contracts";

/**
 * Returns the JSON pointer (RFC 6901) of a member. If it would be longer than 1,000 characters, it returns the pointer of the parent, which is valid
 * too. A hostile name is therefore not repeated many times.
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

/** Returns the value at the pointer, or undefined. It reads only own members. */
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
