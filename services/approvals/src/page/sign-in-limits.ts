import { HttpProblem, type Principal, type RateLimit } from "@toolbus/runtime";

/** Counts one sign-in of a person. Throws a problem if the person signed in too often within the minute. */
export async function takeSignIn(signIns: RateLimit, principal: Principal): Promise<void> {
  const { granted, resetMs } = await signIns.take(principal);
  if (!granted) throw tooOften(`A person may ${signIns.words} a minute.`, resetMs);
}

/** Returns the problem of something that happened too often. */
export function tooOften(detail: string, waitMs: number): HttpProblem {
  const seconds = String(Math.max(1, Math.ceil(waitMs / 1000)));
  return new HttpProblem("rate_limited", detail, { remedy: `Try again in ${seconds} s.` }, { "retry-after": seconds });
}
