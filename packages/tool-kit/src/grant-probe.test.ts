import { keys, type Json } from "@toolbus/contracts";
import { generateSigningKey, publicKeySet, signDocument, signerOf, staticKeySet } from "@toolbus/grants";
import { describe, expect, it } from "vitest";
import { grantProbe } from "./grant-probe.ts";
import { approvalsKeys, approvalsSigner, bench } from "./testing/bench.ts";
import { orders, target } from "./testing/target.ts";

async function setup(keysHere = approvalsKeys) {
  const toolset = orders(target());
  const { state } = bench(toolset);
  const put = async (value: Json): Promise<void> => {
    const key = keys.pin("pay");
    const { documents } = await state.read([key]);
    const version = documents[0]?.version ?? 0;
    await state.commit("00", { op: `pin:${version}`, guards: [{ key, version }], put: [{ key, value }] });
  };
  return {
    put,
    pin: async (revision: number) =>
      put(await signDocument("tb-pin+jwt", { key: keys.pin("pay"), revision, content: { tool: "pay" } }, approvalsSigner)),
    ask: () => grantProbe({ toolset, state, keys: keysHere }).ask(),
  };
}

describe("whether a worker can check grants", () => {
  it("is not known before approvals has signed anything about its writes", async () => {
    const t = await setup();
    expect(await t.ask()).toBeNull();
  });

  it("is confirmed if it verifies what approvals signed", async () => {
    const t = await setup();
    await t.pin(1);
    expect(await t.ask()).toBeNull();
  });

  it("is denied, with what to do, if it has the keys of another approvals, or none", async () => {
    const others = staticKeySet(publicKeySet([await generateSigningKey()]));
    for (const keysHere of [others, staticKeySet(publicKeySet([]))]) {
      const t = await setup(keysHere);
      await t.pin(1);
      expect(await t.ask()).toMatch(/^its worker cannot check grants: .*JWKS_URL/);
    }
  });

  it("is not denied because of a forged pin", async () => {
    const t = await setup();
    const forger = await signerOf(await generateSigningKey());
    await t.pin(1);
    const forged = await signDocument(
      "tb-pin+jwt",
      { key: keys.pin("pay"), revision: 2, content: { tool: "pay" } },
      { ...forger, kid: approvalsSigner.kid },
    );
    await t.put(forged);
    expect(await t.ask()).toBeNull();
  });
});
