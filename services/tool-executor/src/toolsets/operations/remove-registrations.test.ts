import { HOME_SHARD, type Json, type JsonObject, keys, type Removal, type ToolDefinition } from "@toolbus/contracts";
import { signDocument, toolHash } from "@toolbus/grants";
import { describe, expect, it } from "vitest";
import { own, setup as setupOperations } from "../../testing/operations-under-test.ts";

const definition: ToolDefinition = {
  name: "old_report",
  version: "1",
  description: "Reports.",
  parameters: { type: "object", properties: {} },
  kind: "read",
  risk: { tier: "low" },
  idempotency: { mode: "none" },
  timeoutMs: 1000,
  source: "reports",
};
const MEMBER = "reports/old_report@1";

describe("a registration that an operator wants to remove", () => {
  it("is removed on approvals' signature, together with the request", async () => {
    await using t = await setup();
    await t.request({});
    await t.over();
    expect(await t.registered()).toBeNull();
    expect((await t.store.page(keys.registryIndex(), { limit: 10 })).members).toEqual([]);
    expect((await t.store.page(keys.removals(), { limit: 10 })).members).toEqual([]);
  });

  it.each<[string, Partial<Removal>]>([
    ["it was registered again since", { registeredAt: 5 }],
    ["its definition has changed", { hash: "sha256-other" }],
    ["it is of another name than the request's", { tool: "other" }],
  ])("stays when %s", async (_, part) => {
    await using t = await setup();
    await t.request(part);
    await t.over();
    expect(await t.registered()).not.toBeNull();
  });

  it("stays when somebody other than approvals signed the request, or nobody did", async () => {
    await using t = await setup();
    await t.request({}, "worker.release");
    await t.over();
    await t.put({ ...t.removal(), signature: "a.b.c" });
    await t.over();
    await t.put(t.removal() as unknown as JsonObject);
    await t.over();
    await t.name(3);
    await t.over();
    expect(await t.registered()).not.toBeNull();
  });
});

async function setup() {
  const t = await setupOperations({ removeEveryMs: 1 });
  const hash = toolHash(definition);
  const registration = { toolset: "reports", definition, hash, registeredAt: 1, lastSeenAt: 1 };
  const key = keys.registration("reports", definition.name, "1");
  await t.store.commit(HOME_SHARD, {
    op: "register",
    guards: [{ key, version: 0 }],
    put: [{ key, value: registration }],
    index: [{ index: keys.registryIndex(), member: MEMBER, score: 0 }],
  });
  let revision = 0;
  let puts = 0;
  const removal = (part: Partial<Removal> = {}): Removal => ({
    toolset: "reports",
    tool: definition.name,
    version: "1",
    hash,
    registeredAt: 1,
    by: "otto",
    askedAt: 1,
    ...part,
  });
  const requestKey = keys.removal(MEMBER);
  const put = async (value: Json): Promise<void> => {
    const { documents } = await t.store.read([requestKey]);
    await t.store.commit(HOME_SHARD, {
      op: `request:${++puts}`,
      guards: [{ key: requestKey, version: documents[0]?.version ?? 0 }],
      put: [{ key: requestKey, value }],
      index: [{ index: keys.removals(), member: MEMBER, score: 1 }],
    });
  };
  return {
    ...t,
    put,
    removal,
    /** Writes the request as approvals does, or with the key of another service. */
    async request(part: Partial<Removal>, as = "approvals") {
      await put(
        await signDocument("tb-removal+jwt", { key: requestKey, revision: ++revision, content: removal(part) }, own.identityOf(as).signer),
      );
    },
    /** Adds the name of a missing request to the index. */
    async name(n: number) {
      const { documents } = await t.store.read([requestKey]);
      const guards = [{ key: requestKey, version: documents[0]?.version ?? 0 }];
      await t.store.commit(HOME_SHARD, {
        op: `drop:${n}`,
        guards,
        remove: [requestKey],
        index: [{ index: keys.removals(), member: MEMBER, score: 1 }],
      });
    },
    over: () => t.committed("removal-over:"),
    async registered(): Promise<unknown> {
      return (await t.store.read([key])).documents[0] ?? null;
    },
  };
}
