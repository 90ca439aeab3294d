import { describe, expect, it } from "vitest";
import { connectionError } from "./connection-error.ts";
import { NetworkError } from "../model-errors.ts";

const provider = { name: "Acme", keyVariable: "ACME_API_KEY", baseUrl: "http://user:pass@gateway.test:8080/v1", secret: null };

function withCode(code: string): Error {
  return Object.assign(new Error(`connect ${code}`), { code });
}

describe("a client's error without an answer", () => {
  it.each<[string, Error, RegExp]>([
    ["refused", new TypeError("fetch failed", { cause: withCode("ECONNREFUSED") }), /nothing listens/],
    [
      "refused at both addresses",
      new TypeError("fetch failed", { cause: new AggregateError([withCode("ECONNREFUSED")]) }),
      /nothing listens/,
    ],
    ["unknown to DNS", new Error("Connection error.", { cause: new TypeError("fetch failed", { cause: withCode("ENOTFOUND") }) }), /DNS/],
    ["with a bad certificate", new TypeError("fetch failed", { cause: withCode("CERT_HAS_EXPIRED") }), /certificate has expired/],
    ["cut", new TypeError("terminated", { cause: withCode("UND_ERR_SOCKET") }), /broke in the middle/],
    ["cut within a frame", new Error("Truncated event message received."), /broke in the middle/],
    ["of its own timeout", Object.assign(new Error("no activity"), { name: "TimeoutError" }), /was not reached: it failed \(no activity\)/],
  ])("is a network error that says why: %s", (_, error, why) => {
    const made = connectionError(error, provider);
    expect(made).toBeInstanceOf(NetworkError);
    expect(made).toMatchObject({ message: expect.stringMatching(why), cause: error });
    expect(String(made)).toContain("gateway.test:8080");
    expect(String(made)).not.toContain("pass");
  });

  it("stays unchanged if the network has no part in it", () => {
    const bug = new TypeError("Cannot read properties of undefined");
    expect(connectionError(bug, provider)).toBe(bug);
    expect(connectionError("text", provider)).toBe("text");
    const circle = new Error("a");
    circle.cause = circle;
    expect(connectionError(circle, provider)).toBe(circle);
  });
});
