import { describe, expect, it } from "vitest";
import { takeMessage } from "./nats-wire.ts";

describe("what NATS says", () => {
  it("is a message with its body, which may hold line ends", () => {
    const text = "MSG a.b 1 4\r\n\r\n{}\r\n";
    expect(takeMessage(Buffer.from(`${text}PING\r\n`))).toEqual({ value: { line: "MSG a.b 1 4", body: "\r\n{}" }, used: text.length });
  });

  it("is a line without a body", () => {
    expect(takeMessage(Buffer.from("PING\r\n"))).toEqual({ value: { line: "PING", body: null }, used: 6 });
  });

  it.each(["MSG a 1 4\r\n{}", "PIN", ""])("is waited for while it is not whole: %j", (text) => {
    expect(takeMessage(Buffer.from(text))).toBeNull();
  });
});
