import { describe, expect, it } from "vitest";
import { parseServerUrl, withoutPassword } from "./server-url.ts";

describe("a server's URL", () => {
  it.each([
    ["redis", "redis://127.0.0.1", { host: "127.0.0.1", port: 6379, user: "", password: "", virtualHost: "/" }],
    ["redis", "redis://:se%40cret@[::1]:7000/2", { host: "::1", port: 7000, user: "", password: "se@cret", virtualHost: "2" }],
    ["nats", "nats://ada:word@queue.example:4333", { host: "queue.example", port: 4333, user: "ada", password: "word", virtualHost: "/" }],
    ["rabbitmq", "amqp://guest:guest@host/a%2Fb", { host: "host", port: 5672, user: "guest", password: "guest", virtualHost: "a/b" }],
  ] as const)("for %s is split: %s", (kind, url, address) => {
    expect(parseServerUrl(kind, url)).toEqual(address);
  });

  it.each([
    ["redis", "localhost:6379", "it is not a URL such as redis://127.0.0.1:6379"],
    ["redis", "", "it is not a URL such as redis://127.0.0.1:6379"],
    ["rabbitmq", "amqps://ada:secret@host", "it begins with amqps:// and tests speak to RabbitMQ over amqp:// only"],
    ["nats", "nats://", "it is not a URL such as nats://127.0.0.1:4222"],
  ] as const)("for %s is refused with the reason: %s", (kind, url, problem) => {
    expect(parseServerUrl(kind, url)).toEqual({ problem });
  });

  it("is printed without its password", () => {
    expect(withoutPassword("amqp://ada:se%40cret@host:5672/a")).toBe("amqp://ada:***@host:5672/a");
    expect(withoutPassword("redis://:secret@host?password=secret#secret")).toBe("redis://:***@host");
    expect(withoutPassword("nats://token@host")).toBe("nats://***@host");
    expect(withoutPassword("redis://host")).toBe("redis://host");
    expect(withoutPassword("ada:secret@host")).toBe("its value");
    expect(withoutPassword("secret")).toBe("its value");
  });
});
