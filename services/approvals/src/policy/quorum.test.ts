import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { groupsFilled, openGroups, type Voter, wouldHelp } from "./quorum.ts";

const ana: Voter = { approver: "ana", groups: ["finance"] };
const ben: Voter = { approver: "ben", groups: ["ops"] };
const cleo: Voter = { approver: "cleo", groups: ["finance", "ops"] };
const dan: Voter = { approver: "dan" };
const ONE_OF_EACH = { finance: 1, ops: 1 };

describe("an approval by groups", () => {
  it("needs somebody of every group", () => {
    expect([groupsFilled([ana], ONE_OF_EACH), groupsFilled([ana, ben], ONE_OF_EACH)]).toEqual([false, true]);
    expect(openGroups([ana], ONE_OF_EACH)).toEqual(["ops"]);
  });

  it("counts a person of two groups once, and lets this person take the other place", () => {
    expect(groupsFilled([cleo], ONE_OF_EACH)).toBe(false);
    expect(groupsFilled([cleo, ana], ONE_OF_EACH)).toBe(true);
    expect(groupsFilled([ana, cleo], ONE_OF_EACH)).toBe(true);
    expect(wouldHelp(ben, [cleo], 2, ONE_OF_EACH)).toBe(true);
  });

  it("does not count the same person twice", () => {
    expect(groupsFilled([cleo, cleo], ONE_OF_EACH)).toBe(false);
    expect(wouldHelp(cleo, [cleo], 3, ONE_OF_EACH)).toBe(false);
  });

  it("is helped by a person of no group only while a place for anybody is free", () => {
    expect(wouldHelp(dan, [], 2, ONE_OF_EACH)).toBe(false);
    expect(wouldHelp(dan, [ana], 3, ONE_OF_EACH)).toBe(true);
    expect(wouldHelp({ approver: "eve" }, [ana, dan], 3, ONE_OF_EACH)).toBe(false);
  });

  it("ends with exactly the needed number of people if each of them helped, in whatever order they come", () => {
    const groups = ["a", "b", "c"];
    const person = fc.record({ approver: fc.constantFrom("p", "q", "r", "s", "t", "u", "v"), groups: fc.subarray(groups) });
    const wanted = fc.record({ a: fc.integer({ min: 1, max: 2 }), b: fc.integer({ min: 1, max: 2 }) });
    fc.assert(
      fc.property(fc.array(person, { maxLength: 12 }), wanted, fc.integer({ min: 0, max: 2 }), (people, counts, more) => {
        const need = counts.a + counts.b + more;
        const voters: Voter[] = [];
        const distinct = people.filter(({ approver }, n) => people.findIndex((other) => other.approver === approver) === n);
        for (const one of distinct) if (wouldHelp(one, voters, need, counts)) voters.push(one);
        const done = voters.length >= need && groupsFilled(voters, counts);
        expect(voters.length <= need).toBe(true);
        // No approval was superfluous, because the approval is complete as soon as the number is reached.
        expect(done).toBe(voters.length === need);
      }),
    );
  });
});
