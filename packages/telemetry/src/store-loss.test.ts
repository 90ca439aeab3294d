import { Writable } from "node:stream";
import { afterEach, describe, expect, it } from "vitest";
import { createLog } from "./logger.ts";
import { setRecorder } from "./recorder.ts";
import { recordStoreLoss, recordUnreportedLoss } from "./store-loss.ts";

afterEach(() => setRecorder(null));

describe("a loss of the state store", () => {
  it("is one error that says what it means and what to do", () => {
    const { log, lines } = setup();
    recordStoreLoss(log, { shard: "03", seenAt: 1_800_000_000_000 });
    expect(lines()).toEqual([
      expect.objectContaining({
        level: 50,
        shard: "03",
        lastSeen: "2027-01-15T08:00:00.000Z",
        msg: expect.stringMatching(/lost writes of shard 03 .*voids every grant.*run "toolbus era resume 03"\.$/),
      }),
    ]);
  });

  it("is counted, by shard", () => {
    const counted: unknown[] = [];
    const measurements = {
      record: ({ name }: { readonly name: string }, value: number, tags: object) => void counted.push([name, value, tags]),
      observe: () => () => undefined,
    };
    setRecorder({ spans: null, logs: null, audit: null, measurements });
    recordStoreLoss(setup().log, { shard: "03", seenAt: 1 });
    expect(counted).toEqual([["toolbus.state.losses", 1, { "toolbus.shard": "03" }]]);
  });

  it("says no time for a shard that this process never saw", () => {
    const { log, lines } = setup();
    recordStoreLoss(log, { shard: "03", seenAt: 0 });
    expect(lines()[0]).not.toHaveProperty("lastSeen");
  });

  it("that approvals does not know of yet is a warning", () => {
    const { log, lines } = setup();
    recordUnreportedLoss(log, new Error("unroutable"));
    expect(lines()).toEqual([expect.objectContaining({ level: 40 })]);
  });
});

function setup() {
  let written = "";
  const destination = new Writable({
    write(chunk: Buffer, _encoding, done) {
      written += chunk.toString();
      done();
    },
  });
  return {
    log: createLog({ name: "test", level: "info", destination }),
    lines: (): readonly Readonly<Record<string, unknown>>[] =>
      written
        .split("\n")
        .filter(Boolean)
        .map((line): Record<string, unknown> => JSON.parse(line)),
  };
}
