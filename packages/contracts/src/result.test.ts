import { describe, expect, it } from "vitest";
import { parser } from "./parse.ts";
import { errorContent, failedResult, ToolResult } from "./result.ts";

const contentOf = (text: string): unknown => JSON.parse(text);

describe("a failed result", () => {
  it("takes class, status and retryability from its code", () => {
    expect(failedResult("timeout", "It did not answer within 5000 ms.")).toEqual({
      status: "timeout",
      isError: true,
      content: '{"error":"timeout","class":"ToolTransientError","message":"It did not answer within 5000 ms.","retryable":true}',
      error: { code: "timeout", class: "ToolTransientError", message: "It did not answer within 5000 ms.", retryable: true },
    });
  });

  it("keeps a tool's own code and treats it as a domain error", () => {
    const result = failedResult("release_not_found", "There is no release r9.");
    expect(result).toMatchObject({ status: "error", error: { code: "release_not_found", class: "ToolUserError", retryable: false } });
  });

  it("gives the model what helps it act: when to retry, and which fields were wrong", () => {
    const details = [{ path: "/id", message: "is required" }];
    const result = failedResult("invalid_arguments", "Not valid.", { retryAfter: 30, details, truncated: true, retryable: true });
    expect(contentOf(result.content)).toEqual({
      error: "invalid_arguments",
      class: "ToolUserError",
      message: "Not valid.",
      retryable: true,
      retryAfter: 30,
      details,
      truncated: true,
    });
    expect(result).toMatchObject({ truncated: true, error: { retryAfter: 30, details, retryable: true } });
  });

  it("leaves out fields that were not given", () => {
    expect(Object.keys(failedResult("worker_crashed", "It failed.").error ?? {})).toEqual(["code", "class", "message", "retryable"]);
    expect(failedResult("worker_crashed", "It failed.")).not.toHaveProperty("truncated");
  });

  it.each(["invalid_arguments", "outcome_unknown", "denied_by_user", "not_executed", "my_own_code"])(
    "of code %s is a valid stored result",
    (code) => {
      expect(parser(ToolResult)(failedResult(code, "Why.", { details: [{ path: "", message: "m" }] })).ok).toBe(true);
    },
  );
});

describe("what the model reads of a refusal", () => {
  it.each([
    ["denied_by_user", "APPROVAL_DENIED"],
    ["approval_expired", "APPROVAL_EXPIRED"],
    ["policy_denied", "POLICY_DENIED"],
  ])("of %s has the reason %s", (code, reason) => {
    expect(contentOf(failedResult(code, "No.").content)).toMatchObject({ error: code, class: "ToolPolicyError", reason });
  });

  it("is absent from errors that are not refusals", () => {
    expect(contentOf(failedResult("timeout", "Late.").content)).not.toHaveProperty("reason");
  });

  it("can be made again from the error alone", () => {
    const { error, content } = failedResult("limit", "Enough.", { retryAfter: 5 });
    expect(error && errorContent(error)).toBe(content);
  });
});
