import { type Answer, apiKeyOf, PEOPLE } from "./gateway-under-test.ts";

/** The parts of a problem that a test compares. */
export interface ShownProblem {
  readonly status: number;
  readonly code: string;
}

/**
 * Returns the status and the code of an answer that must be a problem by RFC 9457, without a stack and without anybody's key. Throws if it is not.
 */
export function problemOf({ status, headers, text, body }: Answer): ShownProblem {
  const type = headers.get("content-type");
  if (!type?.startsWith("application/problem+json")) throw new Error(`Not a problem but ${type}: ${text}`);
  const { code, title, detail } = body;
  if (typeof code !== "string" || typeof title !== "string" || typeof detail !== "string")
    throw new Error(`A problem without its fields: ${text}`);
  if (body["type"] !== `urn:toolbus:problem:${code}` || body["status"] !== status)
    throw new Error(`A problem that contradicts itself: ${text}`);
  const everything = `${JSON.stringify([...headers])}${text}`;
  if (/\bat .+:\d+:\d+|\/src\/|node_modules/.test(everything)) throw new Error(`A problem that shows our insides: ${everything}`);
  if (PEOPLE.some(({ id }) => everything.includes(apiKeyOf(id)))) throw new Error("A problem that repeats a key.");
  return { status, code };
}
