import { describe, expect, it } from "vitest";
import { peopleIn, stricterTerms } from "./stricter-terms.ts";

describe("terms of edited arguments", () => {
  it("demand everything that the terms before and the policy in use demand, and keep the times", () => {
    const before = { version: "a", rules: ["x"], from: [["group:ops"]], groups: { ops: 2, finance: 1 }, tickets: ["^A"], remindAt: 5 };
    const after = {
      version: "b",
      rules: ["x", "y"],
      from: [["group:ops"], ["role:lead"]],
      groups: { finance: 2 },
      tickets: ["^B"],
      remindAt: 9,
    };
    expect(stricterTerms(before, after)).toEqual({
      version: "b",
      rules: ["x", "y"],
      from: [["group:ops"], ["role:lead"]],
      groups: { ops: 2, finance: 2 },
      tickets: ["^A", "^B"],
      remindAt: 5,
    });
    expect(peopleIn(stricterTerms(before, after))).toBe(4);
  });

  it("are those of the policy in use if there were none", () => {
    expect(stricterTerms(undefined, { version: "b", rules: [] })).toEqual({ version: "b", rules: [] });
  });
});
