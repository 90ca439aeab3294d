import { Writable } from "node:stream";
import { setImmediate as turn } from "node:timers/promises";
import { Redis } from "ioredis";
import { describe, expect, it } from "vitest";
import { gatheredCommands } from "./gathered-commands.ts";

/** Makes a client that is not connected. Its socket records each write. */
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
  const client = new Redis({ lazyConnect: true });
  const gather = gatheredCommands(Object.assign(client, { stream }));
  const command = (text: string): void => {
    gather();
    stream.write(text);
  };
  return { client, stream, command, given };
}

describe("the commands of a connection to Redis", () => {
  it("go to the socket together if they belong to one turn of the event loop", async () => {
    const { command, given } = setup();
    for (const text of ["a", "b"]) command(text);
    await Promise.resolve().then(() => command("c"));
    await turn();
    command("d");
    await turn();
    expect(given).toEqual([["a", "b", "c"], ["d"]]);
  });

  it("go to the client's new socket after a reconnect", async () => {
    const { client, command, given, stream } = setup();
    command("a");
    await turn();
    const another = setup();
    Object.assign(client, { stream: another.stream });
    command("lost with the old socket");
    another.stream.write("b");
    await turn();
    expect([given, another.given]).toEqual([[["a"], ["lost with the old socket"]], [["b"]]]);
    expect([stream.writableCorked, another.stream.writableCorked]).toEqual([0, 0]);
  });

  it("are left alone while there is no socket", async () => {
    const client = new Redis({ lazyConnect: true });
    const gather = gatheredCommands(client);
    expect(() => gather()).not.toThrow();
  });
});
