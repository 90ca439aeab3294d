import { type Answer, problem } from "./answer.ts";

/** Returns what is wrong with a value. Returns null if the value is right. */
type Check = (value: unknown) => string | null;

/** The result of reading a body: its fields, or the answer that lists every wrong field. */
export type Fields<Name extends string> =
  | { readonly ok: true; readonly text: (name: Name) => string; readonly number: (name: Name) => number }
  | { readonly ok: false; readonly answer: Answer };

/** Reads an object with exactly these fields. The shop checks them itself, because it does not know who calls it. */
export function readFields<Name extends string>(body: unknown, checks: Readonly<Record<Name, Check>>): Fields<Name> {
  if (typeof body !== "object" || body === null || Array.isArray(body))
    return { ok: false, answer: problem(400, "invalid_fields", "The body must be a JSON object.") };
  const given = new Map<string, unknown>(Object.entries(body));
  const details = [
    ...Object.entries<Check>(checks).flatMap(([field, check]) => {
      const wrong = check(given.get(field));
      return wrong === null ? [] : [{ field, problem: wrong }];
    }),
    ...[...given.keys()]
      .filter((field) => !Object.hasOwn(checks, field))
      .map((field) => ({ field: field.slice(0, 80), problem: "is not known" })),
  ];
  if (details.length > 0)
    return { ok: false, answer: problem(400, "invalid_fields", "The request has fields that are not valid.", { details }) };
  return { ok: true, text: (name) => String(given.get(name)), number: (name) => Number(given.get(name)) };
}

/** Accepts a text of 1 to `max` characters without control characters. Line breaks are allowed if `lines` is true. */
export function text(max: number, { lines = false }: { readonly lines?: boolean } = {}): Check {
  const hidden = lines ? /[\u0000-\u0009\u000b-\u001f\u007f]/u : /[\u0000-\u001f\u007f]/u;
  return (value) => {
    if (typeof value !== "string" || value.trim() === "" || value.length > max) return `must be a text of 1 to ${max} characters`;
    return hidden.test(value) ? "must have no control characters" : null;
  };
}

export function matching(pattern: RegExp, words: string): Check {
  return (value) => (typeof value === "string" && pattern.test(value) ? null : words);
}

/** Accepts an amount in EUR above 0 and up to `max`, in whole cents. */
export function amount(max: number): Check {
  return (value) => {
    if (typeof value !== "number" || !(value > 0) || value > max) return `must be a number above 0 and up to ${max}`;
    return Math.abs(value * 100 - Math.round(value * 100)) < 1e-6 ? null : "must have at most two decimals";
  };
}

export const ORDER_ID = /^ORD-[0-9]{1,12}$/;
export const CUSTOMER_ID = /^CUS-[0-9]{1,12}$/;
export const MAIL_ADDRESS = /^[a-z0-9._+-]{1,64}@[a-z0-9-]{1,63}(\.[a-z0-9-]{1,63}){1,4}$/;
export const COUNTRY = /^[A-Z]{2}$/;
