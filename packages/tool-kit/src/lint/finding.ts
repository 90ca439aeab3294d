/** What the lint found in a definition. A tool with an error cannot be registered; a warning concerns quality, not function. */
export interface Finding {
  readonly level: "error" | "warning";
  /** Stable, for filters and tests: `schema_type`, `description_output`. */
  readonly code: string;
  /** JSON Pointer into the definition. */
  readonly path: string;
  /** The problem, as a sentence. */
  readonly message: string;
  /** What to write instead, as a sentence. */
  readonly remedy: string;
}

export function error(code: string, path: string, message: string, remedy: string): Finding {
  return { level: "error", code, path, message, remedy };
}

export function warning(code: string, path: string, message: string, remedy: string): Finding {
  return { level: "warning", code, path, message, remedy };
}

/** The pointer of a member; "~" and "/" in its name are escaped (RFC 6901). */
export function under(path: string, member: string): string {
  return `${path}/${member.replaceAll("~", "~0").replaceAll("/", "~1")}`;
}
