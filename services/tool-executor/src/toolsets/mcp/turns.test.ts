import { describe, expect, it } from "vitest";
import { parseMcpConfig } from "./mcp-config.ts";
import { mcpBridge } from "./mcp-bridge.ts";
import { turnsOf } from "./turns.ts";
import { createLog } from "@toolbus/telemetry";

const open = new AbortController().signal;

describe("turns", () => {
  it("are taken by so many at the same time, and by the others in their order", async () => {
    const take = turnsOf(2, 60_000);
    const [first, second] = [await take(open), await take(open)];
    const order: string[] = [];
    const third = take(open).then((end) => (order.push("third"), end));
    const fourth = take(open).then((end) => (order.push("fourth"), end));
    await Promise.resolve();
    expect(order).toEqual([]);
    second();
    second();
    const end = await third;
    expect(order).toEqual(["third"]);
    first();
    end();
    (await fourth)();
    expect(order).toEqual(["third", "fourth"]);
  });

  it("end by themselves, and are not waited for after an abort", async () => {
    const take = turnsOf(1, 5);
    await take(open);
    await take(open);
    const stop = new AbortController();
    const never = turnsOf(1, 60_000);
    const end = await never(open);
    const waiting = never(stop.signal);
    stop.abort(new Error("stopped"));
    await expect(waiting).rejects.toThrow("stopped");
    end();
    (await never(open))();
  });
});

describe("the start of many servers", () => {
  it("starts at most eight programs at the same time", async () => {
    const names = Array.from({ length: 20 }, (_, n) => [`s${n}`, { command: "program" }]);
    const { servers } = parseMcpConfig(JSON.stringify({ mcpServers: Object.fromEntries(names) }), { file: "mcp.json", env: {} });
    let [now, most, all] = [0, 0, 0];
    const bridge = mcpBridge({
      servers,
      connect: async () => {
        most = Math.max(most, ++now);
        await new Promise(setImmediate);
        now--;
        all++;
        throw new Error("it does not exist");
      },
      log: createLog({ name: "test", level: "silent" }),
      clock: () => 1,
      monotonic: () => 1,
      random: (bytes) => new Uint8Array(bytes),
    });
    await bridge.tried(20_000);
    await bridge.stop();
    expect([most, all >= 20]).toEqual([8, true]);
  });
});
