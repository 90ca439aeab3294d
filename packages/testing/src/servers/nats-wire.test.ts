import { describe, expect, it } from "vitest";
import { takeMessage } from "./nats-wire.ts";

describe("the protocol of NATS", () => {
  it("has messages with a body, which may contain line ends", () => {
    const text = "MSG a.b 1 4\r\n\r\n{}\r\n";
    expect(takeMessage(Buffer.from(`${text}PING\r\n`))).toEqual({ value: { line: "MSG a.b 1 4", body: "\r\n{}" }, used: text.length });
  });

  it("has lines without a body", () => {
    expect(takeMessage(Buffer.from("PING\r\n"))).toEqual({ value: { line: "PING", body: null }, used: 6 });
  });

  it.each(["MSG a 1 4\r\n{}", "PIN", ""])("is waited for while it is incomplete: %j", (text) => {
    expect(takeMessage(Buffer.from(text))).toBeNull();
  });
});
