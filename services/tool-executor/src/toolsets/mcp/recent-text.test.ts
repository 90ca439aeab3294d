import { describe, expect, it } from "vitest";
import { recentText } from "./recent-text.ts";

describe("the end of a stream of text", () => {
  it("is kept up to the limit, whether the text comes in one chunk or in many", () => {
    const text = recentText(4);
    text.add(Buffer.from("abcdef"));
    expect(text.lastLine()).toBe("cdef");
    for (const part of ["g", "h", "ijklmn", "o"]) text.add(Buffer.from(part));
    expect(text.lastLine()).toBe("lmno");
  });

  it("gives its last line that is not empty, on one line and without control characters", () => {
    const text = recentText(1000);
    expect(text.lastLine()).toBe("");
    text.add(Buffer.from("first\n\u001b[31mno\u2028configuration\u0007\n  \n"));
    expect(text.lastLine()).toBe("[31mno configuration");
    text.add(Buffer.from("x".repeat(500)));
    expect(text.lastLine()).toHaveLength(200);
  });
});
