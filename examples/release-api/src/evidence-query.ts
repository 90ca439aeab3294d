import { type Answer, problem } from "./answer.ts";
import { MAX_RELEASE_ID } from "./risk-report.ts";

/** The parameters of a request: each at most once, and each one of the known ones. */
export type Query<Name extends string> =
  | { readonly ok: true; readonly releaseId: string; readonly page: number; readonly values: Readonly<Partial<Record<Name, string>>> }
  | { readonly ok: false; readonly answer: Answer };

const LONGEST_VALUE = 400;
const LAST_PAGE = 1000;

/** Parses `release_id`, `page` and the parameters of one route. */
export function parseQuery<Name extends string>(query: URLSearchParams, names: readonly Name[]): Query<Name> {
  const known: readonly string[] = ["release_id", "page", ...names];
  const unknown = [...query.keys()].find((name) => !known.includes(name));
  if (unknown !== undefined) return bad(`"${unknown.slice(0, 60)}" is not a known parameter. Known are ${known.join(", ")}.`);
  const twice = known.find((name) => query.getAll(name).length > 1);
  if (twice !== undefined) return bad(`Give ${twice} only once.`);
  const releaseId = query.get("release_id");
  if (!releaseId || releaseId.length > MAX_RELEASE_ID) {
    return bad(`Exactly one release_id of 1 to ${MAX_RELEASE_ID} characters is required.`);
  }
  const page = Number(query.get("page") ?? "1");
  if (!Number.isInteger(page) || page < 1 || page > LAST_PAGE) return bad(`page must be a number from 1 to ${LAST_PAGE}.`);
  const values: Partial<Record<Name, string>> = {};
  for (const name of names) {
    const value = query.get(name);
    if (value === null) continue;
    if (!/^[^\p{Cc}]+$/u.test(value) || value.length > LONGEST_VALUE)
      return bad(`${name} must be text of 1 to ${LONGEST_VALUE} characters.`);
    values[name] = value;
  }
  return { ok: true, releaseId, page, values };
}

function bad(message: string): { readonly ok: false; readonly answer: Answer } {
  return { ok: false, answer: problem(400, "bad_request", message) };
}
