import { createPrivateKey, hash } from "node:crypto";
import type { GrantClaims, StoredSigningKey } from "@toolbus/contracts";
import { calculateJwkThumbprint, CompactSign } from "jose";
import { describe, expect, it } from "vitest";
import { signGrant } from "./grant.ts";
import { mutationsOf } from "./grant-mutations.ts";
import { argumentsHash, contentHash } from "./hashes.ts";
import { staticKeySet } from "./key-sources.ts";
import { publicKeySet, signerOf } from "./keys.ts";
import { signReceipt } from "./receipt.ts";
import { verifyGrant } from "./verify-grant.ts";

const TOTAL = 100_000;
const SEED = 20_260_401;
const NOW = 1_790_000_000_000;

describe("a changed grant", () => {
  it(`is never granted: ${TOTAL.toLocaleString("en")} mutations`, { timeout: 240_000 }, async () => {
    const { grants, known, judge } = await setup();
    // Without this check, a verifier that grants nothing would also pass.
    for (const { text, claims } of grants) expect((await judge(text, claims)).kind).toBe("granted");

    const started = performance.now();
    const random = seeded(SEED);
    const verdicts = new Map<string, number>();
    const accepted: string[] = [];
    for (const { text, claims } of grants) {
      for (const batch of batches(otherThan(text, mutationsOf(text, known, random)), TOTAL / grants.length)) {
        for (const { changed, verdict } of await Promise.all(
          batch.map(async (changed) => ({ changed, verdict: await judge(changed, claims) })),
        )) {
          const kind = verdict.kind === "granted" ? "granted" : `${verdict.kind} ${verdict.reason}`;
          verdicts.set(kind, (verdicts.get(kind) ?? 0) + 1);
          if (verdict.kind === "granted") accepted.push(changed);
        }
      }
    }
    const count = [...verdicts.values()].reduce((sum, n) => sum + n, 0);
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    const reasons = [...verdicts].map(([reason, n]) => `${n} ${reason}`).join(", ");
    process.stdout.write(`${count} mutated grants, ${accepted.length} accepted, ${seconds} s, seed ${SEED}: ${reasons}\n`);
    expect(accepted).toEqual([]);
    expect(count).toBe(TOTAL);
    // Many mutations must pass all checks except that of the signature.
    expect(verdicts.get("forged signature")).toBeGreaterThan(TOTAL / 3);
  });

  it("is not granted when the attacker signs it, or when the right key signed something else", async () => {
    const { grants, signer, attacker, judge } = await setup();
    for (const { claims } of grants) {
      const { callId, tool, toolHash, argsHash } = claims;
      const receipt = {
        callId,
        toolset: "orders",
        tool,
        toolHash,
        argsHash,
        fence: 1,
        resultHash: contentHash(""),
        answerHash: contentHash(""),
        at: NOW,
      };
      const header = { alg: "Ed25519", kid: signer.kid, typ: "tb-receipt+jwt" };
      const otherType = await new CompactSign(Buffer.from(JSON.stringify(claims))).setProtectedHeader(header).sign(signer.key);
      const imitation = await signGrant(claims, { ...attacker, kid: signer.kid });
      expect(await judge(await signGrant(claims, attacker), claims)).toMatchObject({ kind: "stale", reason: "unknown_key" });
      expect(await judge(imitation, claims)).toMatchObject({ kind: "forged", reason: "signature" });
      expect(await judge(await signReceipt(receipt, signer), claims)).toMatchObject({ kind: "forged", reason: "header" });
      expect(await judge(otherType, claims)).toMatchObject({ kind: "forged", reason: "header" });
    }
  });
});

/** Approvals signs with one key and publishes a second one. The attacker has their own key and all public halves. */
async function setup() {
  const [used, second, foreign] = await Promise.all([keyFrom("used"), keyFrom("second"), keyFrom("foreign")]);
  const [signer, attacker] = [await signerOf(used), await signerOf(foreign)];
  const published = publicKeySet([used, second]);
  const keys = staticKeySet(published);
  const all = [sampleClaims("low", 0), sampleClaims("medium", 1), sampleClaims("high", 2), sampleClaims("critical", 3)];
  const grants = await Promise.all(all.map(async (claims) => ({ claims, text: await signGrant(claims, signer) })));
  const known = {
    grants: grants.map(({ text }) => text),
    knownKids: [used.kid, second.kid, foreign.kid],
    publicTexts: [used.x, Buffer.from(used.x, "base64url"), JSON.stringify(published.keys[0]), JSON.stringify(published)],
    attackerJwk: publicKeySet([foreign]).keys[0],
  };
  const judge = (grant: string, { callId, tool, toolVersion, toolHash, argsHash, tier, need }: GrantClaims) => {
    const expected = { toolset: "orders", callId, tool, toolVersion, toolHash, argsHash, tier, need };
    return verifyGrant({ grant, keys, now: NOW + 1000, era: 1, expected });
  };
  return { grants, known, signer, attacker, judge };
}

function sampleClaims(tier: GrantClaims["tier"], index: number): GrantClaims {
  const runId = index === 1 ? "rn_0a_01J9Z3NDEKTSV4RRFFQ69G5FAV~2" : "rn_0a_01J9Z3NDEKTSV4RRFFQ69G5FAV";
  const callId = `${runId}.4.${index}`;
  const need = Math.max(0, index - 1);
  return {
    iss: "tb-approvals",
    aud: "tb-executor:orders",
    jti: `ap_${callId}`,
    iat: NOW / 1000,
    nbf: NOW / 1000,
    exp: NOW / 1000 + 900,
    era: 1,
    tenant: "acme",
    runId,
    callId,
    tool: "refund_order",
    toolVersion: "1.0.0",
    toolHash: contentHash("definition"),
    argsHash: argumentsHash(`{"amount":${index}}`),
    tier,
    requester: "alice",
    approvers: ["bob", "zoë"].slice(0, need).map((sub) => ({ sub, at: NOW - 1000, via: "oidc" })),
    need,
    ...(tier === "critical" ? { ticket: "CHG-1" } : {}),
  };
}

/** Returns the same key each time the test runs, so that the mutations are also the same. */
async function keyFrom(seed: string): Promise<StoredSigningKey> {
  // A PKCS #8 Ed25519 key (RFC 8410) begins with these fixed bytes. The 32 bytes of the private key follow them.
  const der = Buffer.concat([Buffer.from("302e020100300506032b657004220420", "hex"), hash("sha256", seed, "buffer")]);
  const { x = "", d = "" } = createPrivateKey({ key: der, format: "der", type: "pkcs8" }).export({ format: "jwk" });
  const kid = await calculateJwkThumbprint({ kty: "OKP", crv: "Ed25519", x });
  return { kty: "OKP", crv: "Ed25519", alg: "Ed25519", use: "sig", kid, x, d };
}

function* otherThan(text: string, texts: Iterable<string>): Generator<string> {
  for (const changed of texts) if (changed !== text) yield changed;
}

/** Yields the first `total` items in batches of 250. */
function* batches<T>(items: Iterable<T>, total: number): Generator<readonly T[]> {
  let batch: T[] = [];
  let count = 0;
  for (const item of items) {
    batch.push(item);
    count++;
    if (batch.length < 250 && count < total) continue;
    yield batch;
    if (count === total) return;
    batch = [];
  }
}

/** Returns a small generator of numbers from 0 to 1 (a 32-bit xorshift), so that a failure can be reproduced. */
function seeded(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}
