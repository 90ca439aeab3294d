import { describe, expect, it } from "vitest";
import { comparePolicies } from "./management.ts";
import { amqpPolicies } from "./policies.ts";

const wanted = amqpPolicies("toolbus");

describe("the policies that are set", () => {
  it("match, even among others and with extra keys", () => {
    const set = wanted.map((policy) => ({ ...policy, definition: { ...policy.definition, "max-age": "1D" }, priority: 3 }));
    expect(comparePolicies([...set, { name: "of somebody else" }], wanted)).toEqual([]);
  });

  it("are missing, or differ in their pattern or in a value", () => {
    const [queues, dead] = wanted;
    const set = [
      { ...queues, pattern: "^toolbus" },
      { ...dead, definition: { ...dead?.definition, overflow: "drop-head" } },
    ];
    expect(comparePolicies(set, wanted)).toEqual([
      'Policy "toolbus-queues" is for "^toolbus", and should be for ^toolbus\\.queue\\.(?!dead\\.).',
      'Policy "toolbus-dead" has overflow "drop-head", and should have reject-publish.',
      'Policy "toolbus-listeners" is not set.',
    ]);
  });

  it.each([null, {}, "text"])("are unknown when the answer is %j", (answer) => {
    expect(comparePolicies(answer, wanted)).toEqual(["The policies could not be checked: the management plugin's answer is not a list."]);
  });
});
