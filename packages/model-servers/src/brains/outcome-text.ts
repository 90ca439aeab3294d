import { objectOf, parsed, textOf } from "../wire/fields.ts";

/** A result in words. It looks at the content alone: not every vendor's protocol can say that a result is an error. */
export function outcomeText(content: string): string {
  const error = errorIn(content);
  return error === null ? `It came back: ${content.slice(0, 300)}` : `It failed: ${error}`;
}

/** The code of the error that a result's content tells of; null when it tells of none. */
export function errorIn(content: string): string | null {
  const brace = content.indexOf("{");
  const code = textOf(objectOf(parsed(brace < 0 ? "" : content.slice(brace)))["error"]);
  return code === "" ? null : code;
}
