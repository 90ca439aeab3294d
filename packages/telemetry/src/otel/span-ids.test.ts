import { describe, expect, it } from "vitest";
import { spanIds } from "./span-ids.ts";

describe("the ids of spans and traces", () => {
  it("are the random bytes, one after the other, and each byte is used once", () => {
    let portions = 0;
    const { trace, span } = spanIds((bytes) => Buffer.alloc(bytes, ++portions));
    expect([trace(), span()]).toEqual(["01".repeat(16), "01".repeat(8)]);
    const ids = Array.from({ length: 2000 }, span);
    expect(ids.every((id) => /^(?:01|02|03|04|05|06|07|08|09)+$/.test(id))).toBe(true);
    expect(portions).toBe(Math.ceil((24 + 2000 * 8) / 2048));
  });

  it("are never zeros alone, which are not valid", () => {
    const portions = [Buffer.alloc(2048), Buffer.alloc(2048, 5)];
    const { span } = spanIds(() => portions.shift() ?? Buffer.alloc(0));
    expect(span()).toBe("05".repeat(8));
  });
});
