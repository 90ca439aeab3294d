import { describe, expect, it } from "vitest";
import { untilAborted } from "./until-aborted.ts";

const never = new Promise<never>(() => {});

describe("work until a signal aborts", () => {
  it("returns what the work returns, and fails as it fails", async () => {
    const { signal } = new AbortController();
    expect(await untilAborted(signal, async () => 7)).toBe(7);
    await expect(untilAborted(signal, () => Promise.reject(new Error("broken")))).rejects.toThrow("broken");
  });

  it("does not begin after the abort", async () => {
    const reason = new Error("too late");
    let began = false;
    await expect(untilAborted(AbortSignal.abort(reason), async () => void (began = true))).rejects.toBe(reason);
    expect(began).toBe(false);
  });

  it("rejects with the reason at once, whatever the work waits for", async () => {
    const controller = new AbortController();
    const reason = new Error("deadline");
    const ended = untilAborted(controller.signal, () => never);
    controller.abort(reason);
    await expect(ended).rejects.toBe(reason);
  });

  it("prefers the reason to the error of a client that noticed the abort first", async () => {
    const controller = new AbortController();
    const reason = new Error("deadline");
    const client = Promise.withResolvers<never>();
    controller.signal.addEventListener("abort", () => client.reject(new Error("Request was aborted.")));
    const ended = untilAborted(controller.signal, () => client.promise);
    controller.abort(reason);
    await expect(ended).rejects.toBe(reason);
  });
});
