import { describe, expect, it } from "vitest";
import { identityIn, principalOf } from "./oidc-person.ts";

const MAPPING: Parameters<typeof principalOf>[1] = {
  issuer: new URL("https://login.example.com"),
  tenant: "acme",
  personClaim: "sub",
  groupsClaim: "groups",
  groups: new Map([
    ["desk", { role: "approver", tiers: ["high"], groups: ["support"] }],
    ["board", { role: "approver", tiers: ["high", "critical"], groups: ["finance"] }],
    ["ops", { role: "operator" }],
  ]),
  people: new Map([["7", { principal: "amy" }]]),
};

describe("who signed in", () => {
  it("is the claim of the person with the groups that have rights", () => {
    expect(identityIn({ sub: "7", groups: ["desk", "everybody", 3, null, "__proto__"] }, MAPPING)).toEqual({
      person: "7",
      providerGroups: ["desk"],
    });
    expect(identityIn({ sub: "7", groups: "ops" }, MAPPING)).toEqual({ person: "7", providerGroups: ["ops"] });
  });

  it.each([{}, { groups: { ops: true } }, { groups: 1 }, { groups: null }])("has no groups with the claims %o", (claims) => {
    expect(identityIn({ sub: "7", ...claims }, MAPPING)).toEqual({ person: "7", providerGroups: [] });
  });

  it.each([{}, { sub: "" }, { sub: 7 }, { sub: ["7"] }, { sub: "x".repeat(196) }])("is nobody with the claims %o", (claims) => {
    expect(identityIn(claims, MAPPING)).toEqual({ fault: 'The provider did not say who you are: its answer has no usable "sub".' });
  });

  it.each([undefined, false, "true", 1])("is nobody if the e-mail address has email_verified %s", (verified) => {
    const claims = { email: "amy@example.com", email_verified: verified };
    expect(identityIn(claims, { ...MAPPING, personClaim: "email" })).toMatchObject({ fault: expect.stringContaining("not verified") });
  });
});

describe("the principal of a person", () => {
  it("has the rights of all groups together", () => {
    expect(principalOf({ person: "8", providerGroups: ["desk", "board", "ops"] }, MAPPING)).toEqual({
      id: "oidc:8",
      tenant: "acme",
      roles: ["approver", "operator"],
      scopes: ["approve:high", "approve:critical"],
      groups: ["support", "finance"],
      keyId: "oidc:login.example.com",
    });
  });

  it("is the one that the file names for the person, which gives no right by itself", () => {
    expect(principalOf({ person: "7", providerGroups: ["ops"] }, MAPPING)).toMatchObject({ id: "amy", roles: ["operator"], scopes: [] });
    expect(principalOf({ person: "7", providerGroups: [] }, MAPPING)).toBeNull();
  });

  it("does not exist without a group of the file", () => {
    for (const groups of [[], ["gone"], ["__proto__"]]) expect(principalOf({ person: "8", providerGroups: groups }, MAPPING)).toBeNull();
  });
});
