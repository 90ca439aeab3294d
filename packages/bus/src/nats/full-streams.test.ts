import { describe, expect, it } from "vitest";
import { fullStreams } from "./full-streams.ts";
import type { Full } from "./pub-ack.ts";

const refused = (what: Full) => ({ kind: "full", what, reason: "No room." }) as const;

describe("streams without room", () => {
  it("are reported until a later message to the same stream is stored", () => {
    const full = fullStreams();
    expect(full.warnings()).toEqual([]);
    full.note("work", refused("stream"));
    full.note("invoke", { kind: "stored" });
    expect(full.warnings()).toEqual([
      expect.stringMatching(/^NATS accepts no messages for the "work" stream, which is full: .*max-bytes in BUS_URL/),
    ]);
    full.note("work", { kind: "stored" });
    expect(full.warnings()).toEqual([]);
  });

  it("are still reported if a message was already stored before, or its outcome is unknown", () => {
    const full = fullStreams();
    full.note("work", refused("stream"));
    full.note("work", { kind: "stored", again: true });
    full.note("work", { kind: "unknown", reason: "Late." });
    expect(full.warnings()).toHaveLength(1);
  });

  it("are reported once for a server or an account that has no room for any of them", () => {
    const full = fullStreams();
    full.note("work", refused("server"));
    full.note("invoke", refused("server"));
    expect(full.warnings()).toEqual([
      expect.stringMatching(/^NATS accepts no messages, because JetStream has no room left: .*max_file_store/),
    ]);
    full.note("work", refused("account"));
    expect(full.warnings()[0]).toMatch(/^NATS accepts no messages, because the account has used up its storage: /);
  });

  it("are forgotten with the connection on which they refused", () => {
    const full = fullStreams();
    full.note("work", refused("stream"));
    full.clear();
    expect(full.warnings()).toEqual([]);
  });
});
