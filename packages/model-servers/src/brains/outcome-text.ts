import { objectOf, parsed, textOf } from "../wire/fields.ts";

/** Puts a result into words. It uses only the content, because some vendors' protocols cannot mark a result as an error. */
export function outcomeText(content: string): string {
  const error = errorIn(content);
  return error === null ? `It came back: ${content.slice(0, 300)}` : `It failed: ${error}`;
}

/** Returns the error code in a result's content, or null if it has none. */
export function errorIn(content: string): string | null {
  const brace = content.indexOf("{");
  const code = textOf(objectOf(parsed(brace < 0 ? "" : content.slice(brace)))["error"]);
  return code === "" ? null : code;
}
