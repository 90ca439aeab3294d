import { describe, expect, it } from "vitest";
import { retryAfterMs } from "./retry-after.ts";

const date = "Sat, 21 Nov 2026 19:00:00 GMT";

describe("how long a provider asks us to wait", () => {
  it.each<[string, Record<string, string>, number | null]>([
    ["a missing header", {}, null],
    ["seconds", { "retry-after": "7" }, 7000],
    ["half seconds", { "retry-after": " 0.5 " }, 500],
    ["no time at all", { "retry-after": "0" }, 0],
    ["milliseconds, which are more exact", { "retry-after-ms": "120", "retry-after": "7" }, 120],
    ["a date, counted from the answer's own", { "retry-after": "Sat, 21 Nov 2026 19:00:30 GMT", date }, 30_000],
    ["a date in the past", { "retry-after": "Sat, 21 Nov 2026 18:00:00 GMT", date }, 0],
    ["a date without the answer's own", { "retry-after": "Sat, 21 Nov 2026 19:00:30 GMT" }, null],
    ["a negative number", { "retry-after": "-5", date }, null],
    ["a word", { "retry-after": "soon", date }, null],
  ])("reads %s", (_, headers, wait) => {
    expect(retryAfterMs((name) => headers[name])).toBe(wait);
  });
});
