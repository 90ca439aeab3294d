/** A fault that the lint found in a definition. A tool with an error cannot be registered. A warning concerns quality, not function. */
export interface Finding {
  readonly level: "error" | "warning";
  /** A stable name for filters and tests, such as `schema_type` or `description_output`. */
  readonly code: string;
  /** The JSON Pointer of the fault in the definition. */
  readonly path: string;
  /** A sentence that states the problem. */
  readonly message: string;
  /** A sentence that says what to write instead. */
  readonly remedy: string;
}

export function error(code: string, path: string, message: string, remedy: string): Finding {
  return { level: "error", code, path, message, remedy };
}

export function warning(code: string, path: string, message: string, remedy: string): Finding {
  return { level: "warning", code, path, message, remedy };
}

/** Returns the pointer of a member, with "~" and "/" in its name escaped (RFC 6901). */
export function under(path: string, member: string): string {
  return `${path}/${member.replaceAll("~", "~0").replaceAll("/", "~1")}`;
}
