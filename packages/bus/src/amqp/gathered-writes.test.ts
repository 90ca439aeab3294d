import { Writable } from "node:stream";
import { setImmediate as turn } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { gatheredWrites } from "./gathered-writes.ts";

const serverProperties = { host: "", product: "RabbitMQ", version: "3.10.8", platform: "", information: "" };

/** Returns a connection like amqplib's, and the chunks that its socket received in each write. */
function setup() {
  const given: string[][] = [];
  const stream = new Writable({
    write(chunk: Buffer, _, done) {
      given.push([chunk.toString()]);
      done();
    },
    writev(chunks, done) {
      given.push(chunks.map(({ chunk }) => String(chunk)));
      done();
    },
  });
  const gather = gatheredWrites({ connection: Object.assign({ serverProperties }, { stream }) });
  return { stream, gather, given };
}

describe("the writes of a connection", () => {
  it("go to the socket together if they belong to one turn of the event loop", async () => {
    const { stream, gather, given } = setup();
    for (const frame of ["a", "b", "c"]) {
      stream.write(frame);
      gather();
    }
    await turn();
    await turn();
    stream.write("d");
    gather();
    await turn();
    await turn();
    expect(given).toEqual([["a"], ["b", "c"], ["d"]]);
  });

  it("include those that amqplib makes in the immediate after them", async () => {
    const { stream, gather, given } = setup();
    const handOn = (): void => ["a", "b", "c"].forEach((frame) => stream.write(frame));
    process.nextTick(() => setImmediate(handOn));
    gather();
    gather();
    await turn();
    await turn();
    expect(given).toEqual([["a", "b", "c"]]);
  });

  it("reach the socket before it ends", async () => {
    const { stream, gather, given } = setup();
    gather();
    stream.write("last");
    stream.end();
    await turn();
    await turn();
    expect(given).toEqual([["last"]]);
  });

  it("are left alone if no socket is found", () => {
    const gather = gatheredWrites({ connection: { serverProperties } });
    expect(() => gather()).not.toThrow();
  });
});
