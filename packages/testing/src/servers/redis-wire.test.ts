import { describe, expect, it } from "vitest";
import { takeReply } from "./redis-wire.ts";

describe("a reply of Redis", () => {
  it.each([
    ["a status", "+OK\r\n", "OK"],
    ["a number", ":42\r\n", 42],
    ["a text with line ends", "$6\r\na\r\nb\r\n\r\n", "a\r\nb\r\n"],
    ["nothing", "$-1\r\n", null],
    ["no list", "*-1\r\n", null],
    ["an empty list", "*0\r\n", []],
    ["lists in a list", "*2\r\n$1\r\n0\r\n*2\r\n$1\r\na\r\n$1\r\nb\r\n", ["0", ["a", "b"]]],
    ["an error", "-NOAUTH Authentication required.\r\n", { error: "NOAUTH Authentication required." }],
  ])("is read: %s", (_, text, value) => {
    expect(takeReply(Buffer.from(`${text}+next\r\n`))).toEqual({ value, used: text.length });
  });

  it.each(["$6\r\nabc", "*2\r\n:1\r\n", "+O", ""])("is waited for while it is incomplete: %j", (text) => {
    expect(takeReply(Buffer.from(text))).toBeNull();
  });

  it("of another protocol is refused", () => {
    expect(() => takeReply(Buffer.from("HTTP/1.1 400 Bad Request\r\n"))).toThrow("it does not speak Redis' protocol");
  });
});
