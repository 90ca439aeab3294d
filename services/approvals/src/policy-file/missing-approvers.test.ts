import type { ApprovalPolicyFile } from "@toolbus/contracts";
import type { Principal } from "@toolbus/runtime";
import { describe, expect, it } from "vitest";
import type { Log } from "@toolbus/telemetry";
import { policyOf } from "../policy/policy.ts";
import { missingApprovers, warnOfMissingApprovers } from "./missing-approvers.ts";

const person = (id: string, more: Partial<Principal> = {}): Principal => ({
  id,
  tenant: "acme",
  roles: ["approver"],
  scopes: ["approve:*"],
  keyId: `key of ${id}`,
  ...more,
});
const missing = (content: Omit<ApprovalPolicyFile, "version">, ...people: readonly Principal[]): readonly unknown[] =>
  missingApprovers(policyOf({ version: 1, ...content }), people);
const ana = person("ana");
const ben = person("ben");

describe("the approvers whom a policy demands", () => {
  it("are missing if fewer people have keys, and one person with two keys counts once", () => {
    const two = { tiers: { high: { approvers: 2 } } };
    expect(missing(two, ana)).toEqual([{ where: "high", need: 2, have: 1 }]);
    expect(missing(two, ana, person("ana", { keyId: "her phone" }))).toEqual([{ where: "high", need: 2, have: 1 }]);
    expect(missing(two, ana, ben)).toEqual([]);
  });

  it("are missing without the role, the scope of the tier, or the same tenant", () => {
    const two = { tiers: { high: { approvers: 2 } } };
    for (const other of [
      person("ben", { roles: ["user"] }),
      person("ben", { scopes: ["approve:medium"] }),
      person("ben", { tenant: "other" }),
    ])
      expect([other, missing(two, ana, other)]).toEqual([other, [{ where: "high", need: 2, have: 1 }]]);
  });

  it("are missing if the policy names other people, or more people of a group than there are", () => {
    expect(missing({ tiers: { high: { from: ["approver:zoe"] } } }, ana, ben)).toEqual([{ where: "high", need: 1, have: 0 }]);
    const groups = { rules: [{ name: "both", needs: { groups: { finance: 1, ops: 1 } } }] };
    const both = person("ana", { groups: ["finance", "ops"] });
    expect(missing(groups, both, ben), "one person counts for one group").toEqual([{ where: "both", need: 2, have: 2 }]);
    expect(missing(groups, both, person("ben", { groups: ["ops"] }))).toEqual([]);
  });

  it("are those of the tier to which a rule raises a write, and of the tenants of the rule", () => {
    expect(missing({ rules: [{ name: "dear", tier: "critical" }] }, ana)).toEqual([{ where: "dear", need: 2, have: 1 }]);
    expect(missing({ rules: [{ name: "theirs", tier: "high", tenants: ["other"] }] }, ana)).toEqual([
      { where: "theirs", need: 1, have: 0 },
    ]);
    expect(missing({ rules: [{ name: "note", tier: "low" }], tiers: { low: { expires: "1h" } } }), "policy grants a low write").toEqual([]);
  });

  it("are warned of without names, with names in the log once, and no more when a key is added", () => {
    const entries: unknown[] = [];
    const log = { warn: (fields: unknown) => void entries.push(fields) } as unknown as Log;
    const people = [ana];
    const warnings = warnOfMissingApprovers({
      policy: () => policyOf({ version: 1, tiers: { high: { approvers: 2 } } }),
      people: () => people,
      log,
    });
    expect(warnings()).toEqual([expect.stringMatching(/^The policy has 1 demand on approvers that the present keys cannot meet/)]);
    expect(warnings()).toHaveLength(1);
    expect(entries).toHaveLength(1);
    expect(entries[0]).toMatchObject({ missing: [{ where: "high", need: 2, have: 1 }] });
    people.push(ben);
    expect(warnings()).toEqual([]);
  });
});
