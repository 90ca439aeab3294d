import type { Call } from "@toolbus/contracts";
import { describe, expect, it } from "vitest";
import { approversOf } from "./approvers-of.ts";

const call = (part: Partial<Call>): Call => ({ toolName: "wire_transfer", approvalTier: "high", ...part }) as Call;

describe("whose approval a held call waits for", () => {
  it("is as many people as the tier needs", () => {
    expect(approversOf(call({}), ["rita"])).toMatchObject({
      approversNeeded: 1,
      says: expect.stringMatching(/waits for a person to decide/),
    });
    expect(approversOf(call({ approvalTier: "critical", approvedSoFar: ["amy"] }), ["rita"])).toMatchObject({ approversNeeded: 1 });
  });

  it("is as many people as the policy asks for, if it asks for more", () => {
    expect(approversOf(call({ approversNeeded: 3, approvedSoFar: ["amy"] }), ["rita"])).toMatchObject({
      approversNeeded: 2,
      approvedBy: ["amy"],
      says: expect.stringMatching(/waits for 2 more people to decide/),
    });
  });
});
