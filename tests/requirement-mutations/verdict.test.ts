import { describe, expect, it } from "vitest";
import { type RanTest, verdictOf } from "./verdict.ts";

const ran = (...tests: readonly (readonly [title: string, status: string])[]): readonly RanTest[] =>
  tests.map(([title, status]) => ({ title, status }));

describe("a requirement whose words were made untrue", () => {
  it("is proved when a test that its row names fails", () => {
    expect(verdictOf(["opens", "closes"], ran(["opens", "passed"], ["closes", "failed"]))).toEqual({ kind: "caught", by: "closes" });
  });

  it("is not if its test was emptied: nothing fails", () => {
    expect(verdictOf(["opens"], ran(["opens", "passed"]))).toEqual({ kind: "not_caught", why: "no test that it names failed" });
  });

  it("is not if only others fail", () => {
    expect(verdictOf(["opens"], ran(["opens", "passed"], ["closes", "failed"]))).toEqual({
      kind: "not_caught",
      why: "no test that it names failed; 1 other test of the same files did",
    });
  });

  it.each(["skipped", "pending", "todo"])("is not if a test that it names is %s", (status) => {
    expect(verdictOf(["opens", "closes"], ran(["opens", "failed"], ["closes", status]))).toEqual({
      kind: "not_run",
      why: 'its test "closes" is skipped',
    });
  });

  it("is not if a test that it names does not run", () => {
    expect(verdictOf(["opens"], ran(["opens slowly", "failed"]))).toEqual({ kind: "not_run", why: 'its test "opens" does not run' });
  });

  it("is not if the mutation is broken by itself", () => {
    expect(verdictOf(["opens"], [])).toMatchObject({
      kind: "does_not_fit",
      why: expect.stringContaining("none of its test files can be loaded"),
    });
  });

  it.each([
    ["opens the %s", "opens the front door"],
    ["opens $name at $at.hour", "opens the door at 7"],
    ["opens (all) of it", "opens (all) of it"],
    ["opens %s (%#)", "opens the door (7)"],
  ])("reads %s in its report", (name, title) => {
    expect(verdictOf([name], ran([title, "failed"]))).toEqual({ kind: "caught", by: title });
  });
});
