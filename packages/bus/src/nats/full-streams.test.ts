import { describe, expect, it } from "vitest";
import { fullStreams } from "./full-streams.ts";
import type { Full } from "./pub-ack.ts";

const refused = (what: Full) => ({ kind: "full", what, reason: "No room." }) as const;

describe("streams without room", () => {
  it("are told until a later message to the same stream is stored", () => {
    const full = fullStreams();
    expect(full.warnings()).toEqual([]);
    full.note("work", refused("stream"));
    full.note("invoke", { kind: "stored" });
    expect(full.warnings()).toEqual([
      expect.stringMatching(/^NATS takes no messages for the "work" stream, which is full: .*max-bytes in BUS_URL/),
    ]);
    full.note("work", { kind: "stored" });
    expect(full.warnings()).toEqual([]);
  });

  it("are told still when a message is stored since before, or nobody knows what became of one", () => {
    const full = fullStreams();
    full.note("work", refused("stream"));
    full.note("work", { kind: "stored", again: true });
    full.note("work", { kind: "unknown", reason: "Late." });
    expect(full.warnings()).toHaveLength(1);
  });

  it("are told once for a server or an account that has no room for any of them", () => {
    const full = fullStreams();
    full.note("work", refused("server"));
    full.note("invoke", refused("server"));
    expect(full.warnings()).toEqual([expect.stringMatching(/^NATS takes no messages, as JetStream has no room left: .*max_file_store/)]);
    full.note("work", refused("account"));
    expect(full.warnings()[0]).toMatch(/^NATS takes no messages, as the account has stored all that it may: /);
  });

  it("are forgotten with the connection on which they refused", () => {
    const full = fullStreams();
    full.note("work", refused("stream"));
    full.clear();
    expect(full.warnings()).toEqual([]);
  });
});
