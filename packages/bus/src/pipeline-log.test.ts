import { describe, expect, it } from "vitest";
import { logUntil } from "./pipeline-log.ts";

describe("a log until somebody leaves", () => {
  it("is the same log first, and is silent afterwards", () => {
    const reported: unknown[] = [];
    const leaving = new AbortController();
    const log = logUntil(leaving.signal, {
      warn: (fields, words) => reported.push(["warn", fields, words]),
      error: (fields, words) => reported.push(["error", fields, words]),
    });
    log.warn({ topic: "orders" }, "lost");
    log.error({ topic: "orders" }, "not found again");
    leaving.abort();
    log.warn({}, "lost");
    log.error({}, "not found again");
    expect(reported).toEqual([
      ["warn", { topic: "orders" }, "lost"],
      ["error", { topic: "orders" }, "not found again"],
    ]);
  });
});
