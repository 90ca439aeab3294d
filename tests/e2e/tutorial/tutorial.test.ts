import { describe, expect, it } from "vitest";
import { describePage, stepsIn } from "../../pages/describe-page.ts";

describe("the tutorial", () => {
  it("has commands, and the expected output of most of them", () => {
    const typed = stepsIn("docs/tutorial.md").filter((step) => step.kind === "types" && !step.hidden);
    expect(typed.length).toBeGreaterThan(22);
    expect(typed.filter((step) => step.kind === "types" && step.shows === null).length).toBeLessThan(3);
  });
});

describePage("docs/tutorial.md");
