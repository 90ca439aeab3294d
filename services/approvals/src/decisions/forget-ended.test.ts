import { type Approval, approvalIdOf, keys, shardOf } from "@toolbus/contracts";
import { memoryStore, type StateStore } from "@toolbus/state";
import { silentLog } from "@toolbus/telemetry";
import { describe, expect, it } from "vitest";
import { endedEntries } from "../machine/ended-lists.ts";
import { FINISHED_KEPT_MS } from "../settings.ts";
import { tenantHash } from "../tenant-hash.ts";
import { forgetEnded } from "./forget-ended.ts";

const START = 1_800_000_000_000;
const LIST = keys.endedApprovals(tenantHash("acme"));
const EXPIRED = keys.endedApprovals(tenantHash("acme"), "expired");

describe("the lists of ended approvals", () => {
  it("lose an approval when it is no longer kept, in every shard and list, and keep the others", async () => {
    await using t = setup();
    for (let n = 0; n < 250; n++) await t.end(n, START + n);
    t.clock.now = START + FINISHED_KEPT_MS + 199;
    await t.forget();
    for (const index of [LIST, EXPIRED]) {
      const { members } = await t.store.page(index, { limit: 100 });
      expect(members.map(({ score }) => score - START)).toEqual(Array.from({ length: 50 }, (_, n) => 200 + n));
    }
  });

  it("are not held up by an entry that names no approval", async () => {
    await using t = setup();
    await t.end(1, START);
    await t.put("03", [{ index: LIST, member: "nonsense", score: START - 1 }]);
    t.clock.now = START + FINISHED_KEPT_MS;
    await t.forget();
    expect((await t.store.page(LIST, { limit: 10 })).members.map(({ member }) => member)).toEqual(["nonsense"]);
  });
});

function setup() {
  const clock = { now: START };
  const store: StateStore = memoryStore({ clock: () => clock.now });
  let changes = 0;
  const put = async (shard: string, index: ReturnType<typeof endedEntries>): Promise<void> => {
    const guards = [{ key: `tb:approval:{${shard}}:nothing`, version: 0 }];
    await store.commit(shard, { op: `put:${++changes}`, guards, index });
  };
  return {
    clock,
    store,
    put,
    /** Lists one approval as ended at this time. The approvals are in all shards. */
    async end(n: number, endedAt: number): Promise<void> {
      const shard = (n % 16).toString(16).padStart(2, "0");
      const approvalId = approvalIdOf(`rn_${shard}_01HZX3V5J8K2M4N6P8Q0R2S4T7.${n}.0`);
      await put(shardOf(approvalId), endedEntries({ approvalId, tenant: "acme", status: "expired", endedAt } as Approval));
    },
    /** Runs one look to its end. */
    async forget(): Promise<void> {
      const looked = Promise.withResolvers<void>();
      let pages = 0;
      const watched: StateStore = {
        ...store,
        async page(index, options) {
          const page = await store.page(index, options);
          // The lists of the eight outcomes come after the list of the tenants, and the last one is the list of refused approvals.
          if (index === keys.endedApprovals(tenantHash("acme"), "refused") && ++pages === 1) looked.resolve();
          return page;
        },
      };
      const forgetting = forgetEnded({ state: watched, log: silentLog });
      await looked.promise;
      await forgetting.stop();
    },
    [Symbol.asyncDispose]: () => store.close(),
  };
}
