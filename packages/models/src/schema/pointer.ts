import type { Json } from "@toolbus/contracts";

/**
 * The JSON pointer (RFC 6901) of a member. One that would be longer than 1,000 characters stays at its parent, which is a pointer as well, so
 * that a hostile name is not written out again and again.
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

/** What the pointer names; undefined when it names nothing. Own members only. */
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
