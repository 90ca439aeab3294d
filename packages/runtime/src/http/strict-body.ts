import type { Json } from "@toolbus/contracts";
import { parseStrictJson } from "@toolbus/grants";
import { MAX_BODY_BYTES } from "./problem-answers.ts";
import { HttpProblem } from "./problem.ts";

const SHOWN_CHARS = 200;
const NO_JSON = "is not JSON";
const MARK = "\uFEFF";

/**
 * Parses a request's body as JSON that every reader understands in the same way, with the parser for the arguments of calls. Throws a problem that
 * lists the place of each fault: a duplicate key, a key of a prototype, a number outside the range of a double, or a lone surrogate.
 */
export function strictBody(text: string): Json {
  // Some clients write a byte order mark first. Readers may ignore it (RFC 8259, 8.1).
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

/** Truncates the path of a fault, so that a problem does not repeat everything that the client sent. */
function shown(path: string): string {
  return path.length <= SHOWN_CHARS ? path : `${path.slice(0, SHOWN_CHARS).toWellFormed()}…`;
}
