import { CompactSign } from "jose";
import { APPROVERS_NEEDED, type GrantClaims, type Tier } from "@toolbus/contracts";
import { describe, expect, it } from "vitest";
import { signGrant } from "./grant.ts";
import { argumentsHash, contentHash } from "./hashes.ts";
import { MAX_SIGNED_CHARS, signJws } from "./jws.ts";
import { staticKeySet } from "./key-sources.ts";
import { generateSigningKey, publicKeySet, signerOf } from "./keys.ts";
import { type ExpectedGrant, type GrantInput, verifyGrant } from "./verify-grant.ts";

const NOW = 1_790_000_000_000;
const RUN = "rn_0a_01J9Z3NDEKTSV4RRFFQ69G5FAV";

describe("a grant", () => {
  it("lets exactly this write run", async () => {
    const { claims, verdict } = await setup();
    expect(await verdict()).toEqual({ kind: "granted", claims });
  });

  it("by policy needs no approvers", async () => {
    const { verdict } = await setup({ tier: "medium", approvers: [], need: 0 });
    expect(await verdict({}, { tier: "medium" })).toMatchObject({ kind: "granted" });
    expect(await verdict({}, { tier: "low" })).toMatchObject({ kind: "granted" });
  });

  it("is the same text for the same claims, in whatever order they were written", async () => {
    const { claims, signer, grant } = await setup();
    const { iss, aud, ...rest } = claims;
    expect(await signGrant({ ...rest, aud, iss }, signer)).toBe(grant);
  });

  it("is not signed if no worker would accept it", async () => {
    const { claims, signer } = await setup();
    await expect(signGrant({ ...claims, exp: NOW + 60_000 }, signer)).rejects.toThrow(/\/exp/);
    await expect(signGrant({ ...claims, jti: `ap_${RUN}.9.9` }, signer)).rejects.toThrow(/\/jti is not the approval of the call/);
    await expect(signGrant({ ...claims, runId: `${RUN}~1` }, signer)).rejects.toThrow(/\/runId is not the run of the call/);
    await expect(signGrant({ ...claims, requester: " " }, signer)).rejects.toThrow(/\/requester/);
    const crowd = Array.from({ length: 16 }, (_, n) => ({ sub: `${n}${"\u{1f600}".repeat(198)}`, at: NOW, via: "oidc" }));
    await expect(signGrant({ ...claims, approvers: crowd }, signer)).rejects.toThrow(RangeError);
  });
});

describe("a genuine grant is stale", () => {
  it("when it has expired, with 30 seconds for a difference between the clocks", async () => {
    const { claims, verdict } = await setup();
    expect(await verdict({ now: claims.exp * 1000 + 29_999 })).toMatchObject({ kind: "granted" });
    expect(await verdict({ now: claims.exp * 1000 + 30_000 })).toMatchObject({ kind: "stale", reason: "expired" });
    expect(await verdict({ now: claims.exp * 1000, skewMs: 0 })).toMatchObject({ kind: "stale", reason: "expired" });
  });

  it("when the era has changed", async () => {
    const { verdict } = await setup();
    expect(await verdict({ era: 4 })).toMatchObject({ kind: "stale", reason: "era" });
    expect(await verdict({ era: 2 })).toMatchObject({ kind: "stale", reason: "era" });
  });

  it("when the tool's definition has changed, even if the new one demands more", async () => {
    const { verdict } = await setup();
    expect(await verdict({}, { toolHash: contentHash("changed") })).toMatchObject({ kind: "stale", reason: "tool_hash" });
    expect(await verdict({}, { toolVersion: "2.0.0" })).toMatchObject({ kind: "stale", reason: "tool_hash" });
    expect(await verdict({}, { toolHash: contentHash("changed"), tier: "critical", need: 2 })).toMatchObject({
      kind: "stale",
      reason: "tool_hash",
    });
  });

  it("when its key is not known", async () => {
    const { verdict } = await setup();
    expect(await verdict({ keys: staticKeySet({ keys: [] }) })).toMatchObject({ kind: "stale", reason: "unknown_key" });
  });

  it("when its key was revoked", async () => {
    const { stored, verdict } = await setup();
    const keys = staticKeySet({ ...publicKeySet([stored]), revokedKids: [stored.kid] });
    expect(await verdict({ keys })).toMatchObject({ kind: "stale", reason: "unknown_key" });
  });
});

describe("a write is dropped", () => {
  it("without a grant", async () => {
    const { verdict } = await setup();
    expect(await verdict({ grant: undefined })).toMatchObject({ kind: "forged", reason: "missing" });
    expect(await verdict({ grant: "" })).toMatchObject({ kind: "forged", reason: "missing" });
  });

  it("when all claims are right, and they were signed as something else than a grant", async () => {
    const { claims, signer, verdict } = await setup();
    for (const typ of ["tb-probe+jwt", "tb-pin+jwt", "tb-era+jwt"] as const)
      expect(await verdict({ grant: await signJws(typ, claims, signer) })).toMatchObject({ kind: "forged" });
    expect(await verdict({ grant: await signJws("tb-grant+jwt", claims, signer) })).toMatchObject({ kind: "granted" });
  });

  it("when the grant is for another call", async () => {
    const { verdict } = await setup();
    expect(await verdict({}, { callId: `${RUN}.3.1` })).toMatchObject({ kind: "forged", reason: "call" });
  });

  it("when the arguments differ", async () => {
    const { verdict } = await setup();
    expect(await verdict({}, { argsHash: argumentsHash('{"amount":1000,"orderId":"o-1"}') })).toMatchObject({
      kind: "forged",
      reason: "arguments",
    });
  });

  it("when the grant is for another audience, tool or tenant", async () => {
    const { verdict } = await setup();
    expect(await verdict({}, { toolset: "release" })).toMatchObject({ kind: "forged", reason: "audience" });
    expect(await verdict({}, { tool: "wire_transfer" })).toMatchObject({ kind: "forged", reason: "tool" });
    expect(await verdict({}, { tenant: "globex" })).toMatchObject({ kind: "forged", reason: "tenant" });
    expect(await verdict({}, { tenant: "acme" })).toMatchObject({ kind: "granted" });
  });

  it("when the grant is of a lower tier than the worker's own", async () => {
    const { verdict } = await setup();
    expect(await verdict({}, { tier: "critical" })).toMatchObject({ kind: "forged", reason: "insufficient" });
  });

  it("when fewer have approved than the worker's own definition demands", async () => {
    const { verdict } = await setup();
    expect(await verdict({}, { need: 2 })).toMatchObject({ kind: "forged", reason: "insufficient" });
  });

  it("when fewer have approved than the grant itself demands", async () => {
    const { verdict } = await setup({ need: 2 });
    expect(await verdict()).toMatchObject({ kind: "forged", reason: "insufficient" });
  });

  it("when one approver counts twice", async () => {
    const { verdict } = await setup({ tier: "critical", need: 2, approvers: [approver("bob"), approver("bob")] });
    expect(await verdict({}, { tier: "critical", need: 2 })).toMatchObject({ kind: "forged", reason: "insufficient" });
  });

  it("when the requester is among the approvers", async () => {
    const { verdict } = await setup({ approvers: [approver("bob"), approver("alice")] });
    expect(await verdict()).toMatchObject({ kind: "forged", reason: "self_approval" });
  });

  it("when the grant is not valid yet, beyond a difference between the clocks", async () => {
    const { claims, verdict } = await setup();
    expect(await verdict({ now: claims.nbf * 1000 - 30_000 })).toMatchObject({ kind: "granted" });
    expect(await verdict({ now: claims.nbf * 1000 - 30_001 })).toMatchObject({ kind: "forged", reason: "not_yet_valid" });
  });

  it("with the first fault, in the order of the checks, as the reason", async () => {
    const { claims, verdict } = await setup({ need: 2 });
    const early = { now: claims.nbf * 1000 - 60_000 };
    const wrong = { toolset: "release", callId: `${RUN}.3.1`, argsHash: contentHash(""), tier: "critical" } as const;
    const { toolset: _, ...addressed } = wrong;
    expect(await verdict(early, wrong)).toMatchObject({ reason: "audience" });
    expect(await verdict(early, addressed)).toMatchObject({ reason: "not_yet_valid" });
    expect(await verdict({}, addressed)).toMatchObject({ reason: "call" });
    expect(await verdict({}, { argsHash: contentHash(""), tier: "critical" })).toMatchObject({ reason: "arguments" });
  });

  it("when the clock is not a number", async () => {
    const { verdict } = await setup();
    expect(await verdict({ now: NaN })).toMatchObject({ kind: "forged" });
  });

  it("when the grant is stale and also not for this call", async () => {
    const { claims, verdict } = await setup();
    const late = { now: claims.exp * 1000 + 60_000, era: 9 };
    const other = { callId: `${RUN}.3.1`, toolHash: contentHash("changed") };
    expect(await verdict(late, other)).toMatchObject({ kind: "forged", reason: "call" });
    expect(await verdict({ ...late, keys: staticKeySet({ keys: [] }) }, other)).toMatchObject({ kind: "forged", reason: "call" });
    expect(await verdict(late, { argsHash: contentHash("") })).toMatchObject({ kind: "forged", reason: "arguments" });
    expect(await verdict(late, { toolset: "release" })).toMatchObject({ kind: "forged", reason: "audience" });
  });

  it("when the grant is signed by someone else under a known key id", async () => {
    const { claims, signer, verdict } = await setup();
    const attacker = await signerOf(await generateSigningKey());
    expect(await verdict({ grant: await signGrant(claims, { ...attacker, kid: signer.kid }) })).toMatchObject({
      kind: "forged",
      reason: "signature",
    });
  });

  it("when the right key signed something that is not a grant", async () => {
    const { claims, signer, verdict } = await setup();
    const { requester: _, ...nobody } = claims;
    const sign = (payload: string, header = {}) =>
      new CompactSign(Buffer.from(payload))
        .setProtectedHeader({ alg: "Ed25519", kid: signer.kid, typ: "tb-grant+jwt", ...header })
        .sign(signer.key);
    expect(await verdict({ grant: await sign(JSON.stringify(claims)) })).toMatchObject({ kind: "granted" });
    expect(await verdict({ grant: await sign(JSON.stringify(nobody)) })).toMatchObject({ kind: "forged", reason: "claims" });
    expect(await verdict({ grant: await sign(JSON.stringify({ ...claims, extra: 1 })) })).toMatchObject({
      kind: "forged",
      reason: "claims",
    });
    expect(await verdict({ grant: await sign("grant") })).toMatchObject({ kind: "forged", reason: "malformed" });
    expect(await verdict({ grant: await sign(JSON.stringify(claims), { typ: "tb-receipt+jwt" }) })).toMatchObject({
      kind: "forged",
      reason: "header",
    });
    expect(await verdict({ grant: await sign(JSON.stringify(claims), { cty: "JWT" }) })).toMatchObject({
      kind: "forged",
      reason: "header",
    });
  });

  it("when the grant is too large, before any of it is read", async () => {
    const { grant, verdict } = await setup();
    expect(await verdict({ grant: grant + "A".repeat(MAX_SIGNED_CHARS) })).toMatchObject({ kind: "forged", reason: "too_large" });
  });

  it("and the reason never quotes the grant's own signature or payload", async () => {
    const { grant, verdict } = await setup();
    const judged = await verdict({ grant }, { need: 2 });
    for (const segment of grant.split(".")) expect(JSON.stringify(judged)).not.toContain(segment);
  });
});

function approver(sub: string) {
  return { sub, at: NOW - 5000, via: "oidc" };
}

async function setup(change: Partial<GrantClaims> = {}) {
  const stored = await generateSigningKey();
  const signer = await signerOf(stored);
  const keys = staticKeySet(publicKeySet([stored]));
  const callId = `${RUN}.3.0`;
  const tier: Tier = "high";
  const claims: GrantClaims = {
    iss: "tb-approvals",
    aud: "tb-executor:orders",
    jti: `ap_${callId}`,
    iat: NOW / 1000,
    nbf: NOW / 1000,
    exp: NOW / 1000 + 900,
    era: 3,
    tenant: "acme",
    runId: RUN,
    callId,
    tool: "refund_order",
    toolVersion: "1.0.0",
    toolHash: contentHash("definition"),
    argsHash: argumentsHash('{"amount":10,"orderId":"o-1"}'),
    tier,
    requester: "alice",
    approvers: [approver("bob")],
    need: APPROVERS_NEEDED[tier],
    ...change,
  };
  const grant = await signGrant(claims, signer);
  const { tool, toolVersion, toolHash, argsHash } = claims;
  const known: ExpectedGrant = { toolset: "orders", callId, tool, toolVersion, toolHash, argsHash, tier, need: 0 };
  const verdict = (input: Partial<GrantInput> = {}, expected: Partial<ExpectedGrant> = {}) =>
    verifyGrant({ grant, keys, now: NOW + 1000, era: 3, ...input, expected: { ...known, ...expected } });
  return { stored, signer, claims, grant, verdict };
}
