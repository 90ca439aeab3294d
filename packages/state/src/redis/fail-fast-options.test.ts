import { describe, expect, it } from "vitest";
import { failFastOptions, reconnectDelay } from "./fail-fast-options.ts";
import { parseRedisUrl } from "./redis-url.ts";

describe("the options of a connection", () => {
  const options = failFastOptions(parseRedisUrl("rediss://me:secret@host:7000/2"), () => 0.5);

  it("never send a command twice, never keep one for later, and let none wait for ever", () => {
    expect(options).toMatchObject({
      autoResendUnfulfilledCommands: false,
      enableOfflineQueue: false,
      maxRetriesPerRequest: 1,
      commandTimeout: 2000,
      socketTimeout: 2000,
      connectTimeout: 5000,
      keepAlive: 10_000,
      noDelay: true,
    });
  });

  it("pin the protocol and the shape of replies", () => {
    expect(options).toMatchObject({ protocol: 3, replyMapping: "legacy" });
  });

  it("give a blocking command its time, plus the time-out", () => {
    expect(failFastOptions(parseRedisUrl("redis://host"), () => 0, 5000)).toMatchObject({ commandTimeout: 7000, socketTimeout: 7000 });
  });

  it("say where to connect, and as which user", () => {
    expect(options).toMatchObject({ host: "host", port: 7000, username: "me", password: "secret", db: 2, tls: {} });
  });
});

describe("the time before a connection is tried again", () => {
  it("doubles up to two seconds, and never ends", () => {
    expect([1, 2, 3, 5, 7, 1000].map((times) => reconnectDelay(times, () => 1))).toEqual([50, 100, 200, 800, 2000, 2000]);
  });

  it("is spread over its second half", () => {
    expect(reconnectDelay(3, () => 0)).toBe(100);
    expect(reconnectDelay(3, () => 0.5)).toBe(150);
  });
});
