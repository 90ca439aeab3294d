import { describe, expect, it } from "vitest";
import { lastingTrouble } from "./lasting-trouble.ts";

describe("a trouble that lasts", () => {
  it("is reported when it begins, once for each further cause, and with the number of failures when it is over", () => {
    const { trouble, reported } = setup();
    for (let tries = 0; tries < 1000; tries++) trouble.failed(new Error("It is full."));
    for (let tries = 0; tries < 5; tries++) for (const cause of ["It is away.", "It is full."]) trouble.failed(new Error(cause));
    trouble.worked();
    trouble.worked();
    trouble.failed(new Error("It is full."));
    expect(reported).toEqual(["it fails: It is full.", "it fails: It is away.", "it works again after 1010", "it fails: It is full."]);
  });

  it("is reported eight times at most, however many causes there are", () => {
    const { trouble, reported } = setup();
    for (let tries = 0; tries < 100; tries++) trouble.failed(new Error(`Try ${tries} failed.`));
    expect(reported).toHaveLength(8);
    trouble.worked();
    expect(reported.at(-1)).toBe("it works again after 100");
  });

  it("is not reported if nothing failed", () => {
    const { trouble, reported } = setup();
    trouble.worked();
    expect(reported).toEqual([]);
  });
});

function setup() {
  const reported: string[] = [];
  const log = {
    warn: (fields: unknown, text?: string) => void reported.push(`${text}: ${(fields as { error: Error }).error.message}`),
    info: (fields: unknown, text?: string) => void reported.push(`${text} after ${(fields as { failures: number }).failures}`),
  };
  const trouble = lastingTrouble(log as never, { service: "agent", begins: "it fails", ends: "it works again" });
  return { trouble, reported };
}
