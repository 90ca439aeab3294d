import type { Json } from "@toolbus/contracts";
import { parseStrictJson } from "@toolbus/grants";
import { MAX_BODY_BYTES } from "./problem-answers.ts";
import { HttpProblem } from "./problem.ts";

const SHOWN_CHARS = 200;
const NO_JSON = "is not JSON";
const MARK = "\uFEFF";

/**
 * The JSON of a request's body, about whose meaning no two readers can disagree: a duplicate key, one that reaches for a prototype, a number that no double
 * can hold, or half a character is refused, by the reader that reads the arguments of calls. Throws a problem with the place of each fault.
 */
export function strictBody(text: string): Json {
  // Some clients write a byte order mark first (RFC 8259, 8.1: readers may ignore it).
  const parsed = parseStrictJson(text.startsWith(MARK) ? text.slice(MARK.length) : text, MAX_BODY_BYTES);
  if (parsed.ok) return parsed.value;
  const errors = parsed.problems.map(({ path, message }) => ({ path: shown(path), message }));
  const [first = { path: "", message: NO_JSON }] = errors;
  if (first.message === NO_JSON)
    throw new HttpProblem("malformed_body", "The body is not readable JSON.", { remedy: "Check it with a JSON validator." });
  const place = first.path === "" ? "the body" : `"${first.path}"`;
  throw new HttpProblem("malformed_body", `The body cannot be read in one way only: ${place} ${first.message}.`, {
    remedy: "Fix what errors lists, by JSON Pointer.",
    errors,
  });
}

/** A client gets the place, not everything that it sent. */
function shown(path: string): string {
  return path.length <= SHOWN_CHARS ? path : `${path.slice(0, SHOWN_CHARS).toWellFormed()}…`;
}
