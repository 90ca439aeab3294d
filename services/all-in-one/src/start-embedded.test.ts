import { describe, expect, it } from "vitest";
import { whereItIs } from "./start-embedded.ts";

describe("the greeting of npm start", () => {
  it("names the directory of the state, or the servers that the settings name, without their passwords", () => {
    expect(whereItIs({}, "/data")).toEqual([["state", "/data"]]);
    expect(whereItIs({ BUS_URL: "memory:", STATE_URL: "sqlite:/srv/state" }, "/data")).toEqual([
      ["bus", "memory:"],
      ["state", "sqlite:/srv/state"],
      ["data", "/data"],
    ]);
    const servers = { BUS_URL: "nats://agent:secret@nats:4222?x=secret", STATE_URL: "redis://:secret@redis:6379/7?durability=relaxed" };
    expect(whereItIs(servers, "/data")).toEqual([
      ["bus", "nats://nats:4222"],
      ["state", "redis://redis:6379/7"],
      ["data", "/data"],
    ]);
    const shared = {
      BUS_URL: "nats://agent:secret@nats:4222?x=secret&namespace=blue",
      STATE_URL: "redis://redis:6379?namespace=blue&y=secret",
    };
    expect(whereItIs(shared, "/data")).toEqual([
      ["bus", "nats://nats:4222?namespace=blue"],
      ["state", "redis://redis:6379?namespace=blue"],
      ["data", "/data"],
    ]);
  });
});
