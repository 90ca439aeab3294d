import { describe, expect, it } from "vitest";
import { bulkhead } from "./bulkhead.ts";
import { callWindow } from "./call-window.ts";
import { limitSettings, LimitsRefused } from "./limit-settings.ts";

describe("the places of a dependency", () => {
  it("are given to as many calls as allowed, and then to the one that waits longest", async () => {
    const { enter } = bulkhead(1);
    const never = () => new AbortController().signal;
    const leave = await enter(never);
    const order: string[] = [];
    const first = enter(never).then((next) => (order.push("first"), next));
    // As many calls may wait as may run. This one is one too many.
    expect(await enter(never)).toBeNull();
    leave?.();
    leave?.();
    const second = await first;
    expect(order).toEqual(["first"]);
    second?.();
    expect(await enter(() => AbortSignal.abort())).not.toBeNull();
  });

  it("are not waited for any longer than the signal says", async () => {
    const { enter } = bulkhead(1);
    const leave = await enter(() => AbortSignal.abort());
    expect(await enter(() => AbortSignal.abort())).toBeNull();
    const waits = new AbortController();
    const waiting = enter(() => waits.signal);
    waits.abort();
    expect(await waiting).toBeNull();
    leave?.();
    expect(await enter(() => AbortSignal.abort())).not.toBeNull();
  });
});

describe("a limit of calls per minute", () => {
  it("holds in any 60 seconds, and says when the next call may begin", () => {
    let now = 0;
    const window = callWindow(2, () => now);
    expect(window.take()).toBe(0);
    now = 10_000;
    expect(window.take()).toBe(0);
    now = 59_000;
    expect(window.take()).toBe(1000);
    now = 60_000;
    expect(window.take()).toBe(0);
    expect(window.take()).toBe(10_000);
  });
});

describe("the operator's limits", () => {
  it("name a tool or a dependency, and * stands for all others", () => {
    const limits = limitSettings("get_order.callsPerMinute=60, *.callsPerMinute=600,shop.concurrent=4,mcp:files.concurrent=1,");
    expect(limits.of("get_order", "callsPerMinute")).toBe(60);
    expect(limits.of("send_mail", "callsPerMinute")).toBe(600);
    expect(limits.of("shop", "concurrent")).toBe(4);
    expect(limits.of("mcp:files", "concurrent")).toBe(1);
    expect(limits.of("get_order", "argumentBytes")).toBeUndefined();
    expect(limits.names).toEqual(["get_order", "shop", "mcp:files"]);
  });

  it.each([
    ["get_order=60", /is not a limit: write limits as get_order\.callsPerMinute=60/],
    ["get_order.calls=60", /is not a limit/],
    ["get_order.callsPerMinute=many", /is not a limit/],
    ["shop.concurrent=0", /out of range: concurrent is from 1 to 1024/],
    ["*.argumentBytes=65537", /out of range: argumentBytes is from 2 to 65536/],
    ["a.concurrent=1,a.concurrent=2", /sets a limit a second time/],
  ])("are refused with one sentence if they are %j", (text, sentence) => {
    expect(() => limitSettings(text)).toThrow(LimitsRefused);
    expect(() => limitSettings(text)).toThrow(sentence);
  });
});
