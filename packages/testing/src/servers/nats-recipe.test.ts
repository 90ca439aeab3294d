import { describe, expect, it } from "vitest";
import { knowsSyncInterval, natsConfig } from "./nats-recipe.ts";

describe("the configuration of a private NATS", () => {
  it("puts JetStream into a folder of its own", () => {
    expect(natsConfig({}, "/data/a b", false)).toBe('jetstream { store_dir: "/data/a b" }\n');
  });

  it("sets settings, a login, and a sync of every message to disk before its acknowledgement", () => {
    const options = { settings: { max_payload: "4MB" }, user: "ada", password: 'with " in it' };
    expect(natsConfig(options, "/data", true).split("\n")).toEqual([
      "max_payload: 4MB",
      'authorization { user: "ada", password: "with \\" in it" }',
      'jetstream { store_dir: "/data", sync_interval: always }',
      "",
    ]);
  });

  it.each([
    ["2.9.10", false],
    ["2.10.0", true],
    ["2.12.3", true],
    ["3.0.0", true],
  ])("for version %s sets how often to sync: %s", (version, knows) => {
    expect(knowsSyncInterval(version)).toBe(knows);
  });
});
