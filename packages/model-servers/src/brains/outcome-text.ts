import { objectOf, parsed, textOf } from "../wire/fields.ts";

/** A result in words. It uses only the content, because not every vendor's protocol can mark a result as an error. */
export function outcomeText(content: string): string {
  const error = errorIn(content);
  return error === null ? `It came back: ${content.slice(0, 300)}` : `It failed: ${error}`;
}

/** The code of the error in a result's content; null if there is none. */
export function errorIn(content: string): string | null {
  const brace = content.indexOf("{");
  const code = textOf(objectOf(parsed(brace < 0 ? "" : content.slice(brace)))["error"]);
  return code === "" ? null : code;
}
