import { describe, expect, it } from "vitest";
import { clockwork } from "../clockwork/clockwork.ts";
import { drive } from "../clockwork/drive.ts";
import { prng } from "../clockwork/prng.ts";
import { simProcess } from "../clockwork/sim-process.ts";
import { installVirtualTime } from "../clockwork/virtual-time.ts";
import { faults, type FaultRates, ratesOf } from "./faults.ts";
import { portCall, type Wire } from "./wire.ts";

installVirtualTime();

describe("a call of a port", () => {
  it("is a request that is executed and a reply that comes later", async () => {
    const t = setup();
    t.call();
    await t.run();
    expect(t.happened).toEqual(["executed", "answered"]);
    expect(t.time.steps).toBe(3);
  });

  it("is not executed when its request is lost, and its caller learns that after a while", async () => {
    const t = setup({ lost_request: 1 });
    t.call();
    await t.run();
    expect(t.happened).toEqual(["unanswered"]);
  });

  it("is executed when its reply is lost, and its caller cannot tell", async () => {
    const t = setup({ lost_reply: 1 });
    t.call();
    await t.run();
    expect(t.happened).toEqual(["executed", "unanswered"]);
  });

  it("can be executed twice, and is answered once", async () => {
    const t = setup({ executed_twice: 1 });
    t.call();
    await t.run();
    expect(t.happened.toSorted()).toEqual(["answered", "executed", "executed"]);
  });

  it("is never executed twice if the second time would be something else", async () => {
    const t = setup({ executed_twice: 1 });
    t.call({ repeatable: false });
    await t.run();
    expect(t.happened).toEqual(["executed", "answered"]);
  });

  it("continues without the process that asked, which receives nothing any more", async () => {
    const t = setup();
    t.call();
    t.time.schedule(null, 0.5, "kill", () => t.process.kill());
    await t.run();
    expect(t.happened).toEqual(["executed"]);
  });

  it("counts the faults that it injects, and injects none after they ended", async () => {
    const t = setup({ lost_request: 1 });
    t.call();
    await t.run();
    t.wire.faults.end();
    t.call();
    await t.run();
    expect(t.wire.faults.injected.lost_request).toBe(1);
    expect(t.happened).toEqual(["unanswered", "executed", "answered"]);
  });
});

function setup(rates: Partial<FaultRates> = {}) {
  const time = clockwork();
  const random = prng("wire");
  const wire: Wire = {
    clockwork: time,
    random,
    faults: faults(ratesOf(rates), random.fork("faults")),
    latencyMs: { least: 1, most: 2 },
    note: () => undefined,
  };
  const happened: string[] = [];
  const process = simProcess({ clockwork: time, role: "agent", name: "agent-0.1", skewMs: 0 });
  return {
    time,
    wire,
    happened,
    process,
    call(part: { readonly repeatable?: boolean } = {}) {
      process.after(0, "calls", () => {
        portCall(wire, process, {
          label: "test",
          execute: async () => happened.push("executed"),
          unanswered: () => new Error("no answer"),
          timeoutMs: 100,
          ...part,
        }).then(
          () => happened.push("answered"),
          () => happened.push("unanswered"),
        );
      });
    },
    run: () => drive(time, { until: Number.POSITIVE_INFINITY, goOn: () => true, settled: () => true }),
  };
}
