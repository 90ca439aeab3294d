import { describe, expect, it } from "vitest";
import { isPending } from "../transitions/merge-changes.ts";
import type { Ahead } from "./ahead.ts";
import { newRides } from "./rides.ts";

describe("the changes that ride", () => {
  it("have different versions, none of which a stored document has", () => {
    const rides = newRides();
    const versions = [rides.pending(), rides.pending(), rides.pending()];
    expect(new Set(versions).size).toBe(3);
    expect(versions.every(isPending)).toBe(true);
    expect(isPending(0)).toBe(false);
  });

  it("are stored at once when somebody else needs the same run, who then finds them in the store", async () => {
    const rides = newRides();
    const order: string[] = [];
    const { promise: stepEnds, resolve: endStep } = Promise.withResolvers<boolean>();
    const ahead = { store: async () => void order.push("stored") } as Partial<Ahead> as Ahead;
    const first = rides.once("rn_1@7", (begun) => (begun(ahead), stepEnds));
    const again = (): Promise<boolean> => rides.once("rn_1@7", async () => (order.push("rides"), true));
    expect(await again()).toBe(false);
    expect(order).toEqual(["stored"]);
    endStep(true);
    expect(await first).toBe(true);
    expect(await again()).toBe(true);
  });

  it("end for others too if one of them fails before it begins", async () => {
    const rides = newRides();
    const failed = new Error("the transcript could not be read");
    const first = rides.once("rn_1@7", () => Promise.reject(failed));
    const second = rides.once("rn_1@7", async () => true);
    await expect(first).rejects.toBe(failed);
    expect(await second).toBe(false);
    expect(await rides.once("rn_1@7", async () => true)).toBe(true);
  });
});
