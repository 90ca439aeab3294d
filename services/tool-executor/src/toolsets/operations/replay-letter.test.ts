import { topics } from "@toolbus/contracts";
import { describe, expect, it } from "vitest";
import { setup } from "../../testing/operations-under-test.ts";

describe("a replay", () => {
  it("of a dead letter on a missing shard is given up at once", async () => {
    await using s = await setup();
    await s.ask("dl_ff_01ARZ3NDEKTSV4RRFFQ69G5FAV");
    await s.committed("keep:");
    const [letter] = await s.letters();
    expect(letter).toMatchObject({
      queue: topics.operationsReplay,
      reason: "it names a shard that this store does not have",
      deliveries: 1,
    });
  });
});
