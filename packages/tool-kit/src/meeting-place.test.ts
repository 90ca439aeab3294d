import { describe, expect, it } from "vitest";
import { placeInWords } from "./meeting-place.ts";

describe("the place of a worker in its log", () => {
  it.each([
    ["nats://127.0.0.1:4222", "nats://127.0.0.1:4222"],
    ["nats://user:hunter2@a:4222,nats://b:4222?namespace=blue&replicas=3", "nats://a:4222,b:4222?namespace=blue"],
    ["tls://hunter2@a,b", "tls://a,b"],
    ["amqps://user:hunter%402@broker.example:5671/vhost?namespace=blue", "amqps://broker.example:5671?namespace=blue"],
    ["redis://:hunter2@127.0.0.1:6379/0?durability=relaxed", "redis://127.0.0.1:6379"],
    ["rediss://user:hunter2@[::1]:6379?namespace=green", "rediss://[::1]:6379?namespace=green"],
    ["memory:", "memory:"],
    ["sqlite:/data/hunter2", "sqlite:"],
    ["hunter2", ""],
  ])("shows servers and namespace of %s, and no login", (url, shown) => {
    expect(placeInWords({ busUrl: url, stateUrl: url })).toEqual({ bus: shown, store: shown });
  });
});
