import type { JsonObject } from "@toolbus/contracts";
import { describe, expect, it } from "vitest";
import { checkPlan } from "./evidence-plan.ts";
import { planHash } from "./hashes.ts";
import { generateSigningKey, publicKeyOf, signerOf } from "./keys.ts";
import { signPlan } from "./plan-proof.ts";

const CALL = "rn_03_01HZX3V5J8K2M4N6P8Q0R2S4T7.1.0";
const HASH = `sha256-${"A".repeat(43)}`;
const about = { callId: CALL, toolset: "orders", tool: "pay", toolHash: HASH, argsHash: HASH };
const plan = { before: { balance: 3 }, after: { balance: 2 } };
const [own, other] = await Promise.all([generateSigningKey(), generateSigningKey()].map(async (key) => signerOf(await key)));

/** Returns what `checkPlan` notes about an approval. Without arguments, the approval is valid. Each argument replaces one field of it. */
async function checked({ by = own, content = plan, round = 1, drift = false, hash = planHash(plan), keys = true } = {}) {
  if (!by || !own) throw new Error("There is no key.");
  const proof = await signPlan({ ...about, planHash: planHash(plan), at: 1 }, by);
  const part = {
    callId: CALL,
    grant: { claims: { ...about, plan: { round, hash } } },
    approval: {
      toolset: "orders",
      plans: [{ hash: planHash(plan), at: 1, content, proof, ...(drift ? { drift: true } : {}) }],
    } as JsonObject,
    receiptKeys: keys ? [publicKeyOf(own)] : [],
  };
  const notes = { checked: [] as string[], missing: [] as string[] };
  await checkPlan(part, notes);
  return [...notes.checked, ...notes.missing];
}

describe("the plan in an evidence file", () => {
  it("is whole if the toolset signed it and the grant covers it", async () => {
    expect(await checked()).toEqual(["A worker of the toolset signed the plan that was approved."]);
    expect(await checked({ keys: false })).toEqual(["The keys of the toolset: no pin has them, so the plan could not be checked."]);
  });

  it.each([
    ["somebody else signed it", { by: other }, "The toolset did not sign"],
    ["its content was changed", { content: { before: { balance: 3 }, after: { balance: 9 } } }, "does not have the hash"],
    ["the grant covers another round", { round: 2 }, "The grant covers another plan"],
    ["the grant covers another plan", { hash: HASH }, "The grant covers another plan"],
    ["it is said to be from after a drift", { drift: true }, "The toolset did not sign"],
  ])("is a broken link if %s", async (_, part, sentence) => {
    await expect(checked(part)).rejects.toThrow(sentence);
  });
});
