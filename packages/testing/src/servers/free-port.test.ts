import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { describe, expect, it } from "vitest";
import { freePort } from "./free-port.ts";

describe("a free port", () => {
  it("is never one on which another process listens", async () => {
    const somebody = createServer().listen(0, "127.0.0.1");
    await once(somebody, "listening");
    const { port: taken } = somebody.address() as AddressInfo;
    const free = await freePort();
    const drawn = [taken, taken, free];
    expect(await freePort(() => drawn.shift() ?? 0)).toBe(free);
    somebody.close();
  });

  it("is below those that systems use for outgoing connections", async () => {
    expect(await freePort()).toBeLessThan(32_768);
  });

  it("is not searched for without end", async () => {
    const somebody = createServer().listen(0, "127.0.0.1");
    await once(somebody, "listening");
    const { port: taken } = somebody.address() as AddressInfo;
    await expect(freePort(() => taken)).rejects.toThrow("None of 50 ports between 20000 and 31999 is free.");
    somebody.close();
  });
});
