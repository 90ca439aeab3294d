import { StoreRefused, StoreUnavailable } from "@toolbus/state";
import { describe, expect, it } from "vitest";
import { storeReadiness } from "./store-readiness.ts";

describe("whether the store accepts changes", () => {
  it("is checked once in two seconds, however many requests come at once or one after another", async () => {
    const t = setup();
    await Promise.all(Array.from({ length: 100 }, () => t.ask()));
    t.pass(1999);
    await t.ask();
    expect(t.probes()).toBe(1);
    t.pass(1);
    await t.ask();
    expect(t.probes()).toBe(2);
  });

  it.each([
    { error: new StoreUnavailable("Redis at host:1 is full.", { fault: "memory" }), reason: "the state store accepts no changes: memory" },
    { error: new StoreUnavailable("Redis at host:1 is away."), reason: "the state store does not answer" },
    { error: new StoreRefused("Redis at host:1 permits nothing."), reason: "the state store accepts no changes: refused" },
    { error: new Error("Redis at host:1 answered: ERR"), reason: "the state store accepts no changes: failed" },
  ])("is reported to strangers without the store's own words: $reason", async ({ error, reason }) => {
    const t = setup();
    t.failWith(error);
    await expect(t.ask()).rejects.toMatchObject({ name: "Unready", message: reason });
    expect(t.logged).toEqual([{ error, reason }]);
  });

  it("is logged when it changes, not at each check", async () => {
    const t = setup();
    const failing = new StoreUnavailable("full", { fault: "disk" });
    t.failWith(failing);
    for (let times = 0; times < 3; times++) {
      await expect(t.ask()).rejects.toThrow("disk");
      t.pass(2000);
    }
    t.failWith(null);
    await t.ask();
    const reason = "the state store accepts no changes: disk";
    expect(t.logged).toEqual([{ error: failing, reason }, { reason }]);
  });

  it("is not checked again while the first check is pending, but is after that was given up", async () => {
    const t = setup();
    t.hang();
    void t.ask();
    t.pass(9999);
    void t.ask();
    expect(t.probes()).toBe(1);
    t.pass(1);
    void t.ask();
    expect(t.probes()).toBe(2);
  });
});

function setup() {
  let now = 0;
  let probes = 0;
  let answer = (): Promise<void> => Promise.resolve();
  const logged: object[] = [];
  const log = (fields: object): void => void logged.push(fields);
  const { ask } = storeReadiness({
    state: {
      probe: () => {
        probes++;
        return answer();
      },
    },
    monotonic: () => now,
    log: { info: log, warn: log },
  });
  return {
    ask,
    logged,
    probes: () => probes,
    pass: (ms: number) => void (now += ms),
    failWith: (error: Error | null) => void (answer = () => (error ? Promise.reject(error) : Promise.resolve())),
    hang: () => void (answer = () => new Promise(() => undefined)),
  };
}
