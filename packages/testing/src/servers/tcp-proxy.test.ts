import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { setImmediate as turnOfTheLoop } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type TcpProxy, tcpProxy } from "./tcp-proxy.ts";

describe("a TCP proxy", () => {
  // The server echoes and records everything that it receives.
  let reported = "";
  const echo = createServer({ allowHalfOpen: true }, (socket) => {
    socket.on("error", () => undefined);
    socket.on("data", (piece: Buffer) => (reported += piece.toString()));
    socket.pipe(socket);
  });
  beforeAll(async () => {
    echo.listen(0, "127.0.0.1");
    await once(echo, "listening");
  });
  afterAll(() => void echo.close());

  const setup = async () => {
    const proxy = await tcpProxy({ host: "127.0.0.1", port: (echo.address() as AddressInfo).port });
    const clients: Client[] = [];
    const open = async (): Promise<Client> => {
      const client = clientOf(connect({ host: proxy.host, port: proxy.port, allowHalfOpen: true }));
      clients.push(client);
      await once(client.socket, "connect");
      return client;
    };
    const dispose = async (): Promise<void> => {
      for (const { socket } of clients) socket.destroy();
      await proxy.close();
    };
    return { proxy, open, [Symbol.asyncDispose]: dispose };
  };

  it("passes data both ways, in order, and then the end", async () => {
    await using bundle = await setup();
    const client = await bundle.open();
    const long = Buffer.alloc(3_000_000, "0123456789").toString();
    client.socket.end(long);
    await once(client.socket, "end");
    expect(client.heard() === long).toBe(true);
  });

  it("replaces the server in a URL", async () => {
    await using bundle = await setup();
    expect(bundle.proxy.through("amqp://guest:a%20b@server:5672/host?heartbeat=5")).toBe(
      `amqp://guest:a%20b@127.0.0.1:${bundle.proxy.port}/host?heartbeat=5`,
    );
  });

  it("delays each piece in both directions, and never lets one overtake another", async () => {
    await using bundle = await setup();
    const client = await bundle.open();
    bundle.proxy.delay(40);
    const start = performance.now();
    client.socket.write("slow ");
    await client.hears("slow ");
    expect(performance.now() - start).toBeGreaterThanOrEqual(80);
    let all = "slow ";
    for (let count = 0; count < 100; count += 1) {
      bundle.proxy.delay(count % 3);
      client.socket.write(`${count} `);
      all += `${count} `;
      await turnOfTheLoop();
    }
    await client.hears(all);
  });

  it("is a black hole: connections open and stay, nothing passes, and what was held passes when it heals", async () => {
    await using bundle = await setup();
    await using good = await setup();
    const before = await bundle.open();
    const witness = await good.open();
    bundle.proxy.blackHole();
    before.socket.write("held");
    const during = await bundle.open();
    during.socket.write("held too");
    await manyTurns(witness);
    expect([before.heard(), during.heard(), bundle.proxy.connections]).toEqual(["", "", 2]);
    bundle.proxy.heal();
    await before.hears("held");
    await during.hears("held too");
  });

  it("holds delayed pieces in the black hole", async () => {
    await using bundle = await setup();
    await using good = await setup();
    const client = await bundle.open();
    const witness = await good.open();
    bundle.proxy.delay(300);
    client.socket.write("late");
    await manyTurns(witness, 2);
    bundle.proxy.blackHole();
    // This delay is longer than the 300 ms of the other proxy.
    good.proxy.delay(400);
    await manyTurns(witness, 1);
    expect([client.heard(), reported.includes("late")]).toEqual(["", false]);
    bundle.proxy.heal();
    await client.hears("late");
  });

  it("also holds back the end of a side in the black hole", async () => {
    await using bundle = await setup();
    await using good = await setup();
    const witness = await good.open();
    const client = await bundle.open();
    client.socket.write("a");
    await client.hears("a");
    bundle.proxy.blackHole();
    client.socket.resetAndDestroy();
    await manyTurns(witness);
    expect(bundle.proxy.connections).toBe(1);
    bundle.proxy.heal();
    const other = await bundle.open();
    other.socket.write("b");
    await other.hears("b");
    expect(bundle.proxy.connections).toBe(1);
  });

  it("resets every connection at once, and lets new ones in", async () => {
    await using bundle = await setup();
    const clients = [await bundle.open(), await bundle.open()];
    for (const client of clients) {
      client.socket.write("a");
      await client.hears("a");
    }
    bundle.proxy.cut();
    expect(await Promise.all(clients.map(({ lost }) => lost))).toEqual(["ECONNRESET", "ECONNRESET"]);
    const next = await bundle.open();
    next.socket.write("b");
    await next.hears("b");
  });

  it("cuts a connection after so many bytes to its client, once", async () => {
    await using bundle = await setup();
    const client = await bundle.open();
    client.socket.write("before");
    await client.hears("before");
    const cut = bundle.proxy.cutAfter(5);
    client.socket.write("123");
    await client.hears("before123");
    client.socket.write("45678");
    expect(await client.lost).toBe("ECONNRESET");
    expect(client.heard()).toBe("before12345");
    expect(await cut).toBe(true);
    const next = await bundle.open();
    next.socket.write("1234567");
    await next.hears("1234567");
  });

  it("loses the next reply and its connection, once", async () => {
    await using bundle = await setup();
    const client = await bundle.open();
    const other = await bundle.open();
    client.socket.write("one ");
    await client.hears("one ");
    const dropped = bundle.proxy.dropNextReply();
    client.socket.write("two");
    expect(await client.lost).toBe("ECONNRESET");
    expect(client.heard()).toBe("one ");
    expect(await dropped).toBe(true);
    other.socket.write("three");
    await other.hears("three");
  });

  it("cancels a pending one-time fault when it heals, is closed, or gets a new request", async () => {
    await using bundle = await setup();
    const replaced = bundle.proxy.cutAfter(1);
    const healed = [bundle.proxy.cutAfter(2), bundle.proxy.dropNextReply()];
    bundle.proxy.heal();
    const client = await bundle.open();
    client.socket.write("whole");
    await client.hears("whole");
    const closed = bundle.proxy.dropNextReply();
    await bundle.proxy.close();
    expect(await Promise.all([replaced, ...healed, closed])).toEqual([false, false, false, false]);
  });

  it("refuses new connections until it accepts them again, and keeps the open ones", async () => {
    await using bundle = await setup();
    const client = await bundle.open();
    client.socket.write("a");
    await client.hears("a");
    await bundle.proxy.refuse();
    await expect(bundle.open()).rejects.toMatchObject({ code: "ECONNREFUSED" });
    client.socket.write("b");
    await client.hears("ab");
    await bundle.proxy.accept();
    const next = await bundle.open();
    next.socket.write("c");
    await next.hears("c");
  });

  it("resets a client whose server refuses the connection", async () => {
    await using gone = await setup();
    const { port } = gone.proxy;
    await gone.proxy.close();
    await using proxy: TcpProxy = await tcpProxy({ host: "127.0.0.1", port });
    const client = clientOf(connect(proxy.port, proxy.host));
    expect(await client.lost).toBe("ECONNRESET");
  });

  it("can be closed in the turn of the event loop in which the server ends", async () => {
    const inside: Socket[] = [];
    const server = createServer((socket) => void inside.push(socket));
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const proxy = await tcpProxy({ host: "127.0.0.1", port });
    const witness = connect(port, "127.0.0.1");
    await once(witness, "connect");
    const client = clientOf(connect(proxy.port, proxy.host));
    while (inside.length < 2) await once(server, "connection");
    const told = once(witness, "data").then(() => proxy.close());
    // The data and the end arrive in one turn, the witness's data first.
    inside[0]?.write("now");
    inside[1]?.end();
    await told;
    expect(proxy.connections).toBe(0);
    for (const socket of [witness, client.socket, ...inside]) socket.destroy();
    server.close();
    await once(server, "close");
  });

  it("leaves nothing open when it is closed", async () => {
    await using bundle = await setup();
    const client = await bundle.open();
    client.socket.write("a");
    await client.hears("a");
    await bundle.proxy.close();
    await bundle.proxy.close();
    expect(bundle.proxy.connections).toBe(0);
    expect(await client.lost).toBe("ECONNRESET");
    await expect(bundle.open()).rejects.toMatchObject({ code: "ECONNREFUSED" });
  });
});

interface Client {
  readonly socket: Socket;
  heard(): string;
  /** Resolves when the received data begins with this text. */
  hears(text: string): Promise<void>;
  /** Resolves with the reason why the connection failed. */
  readonly lost: Promise<string>;
}

function clientOf(socket: Socket): Client {
  let text = "";
  const lost = new Promise<string>((resolve) => {
    socket.on("error", (error) => resolve("code" in error ? String(error.code) : error.message));
  });
  const arrivals = new Set<() => void>();
  socket.on("data", (piece: Buffer) => {
    text += piece.toString();
    for (const look of arrivals) look();
  });
  return {
    socket,
    heard: () => text,
    hears: (wanted) =>
      new Promise((resolve) => {
        const look = (): void => {
          if (!text.startsWith(wanted)) return;
          arrivals.delete(look);
          resolve();
        };
        arrivals.add(look);
        look();
      }),
    lost,
  };
}

/** Waits as long as a working connection needs to pass this many pieces there and back, one after another. */
async function manyTurns({ socket, heard, hears }: Client, turns = 20): Promise<void> {
  for (let count = 0; count < turns; count += 1) {
    const wanted = `${heard()}a`;
    socket.write("a");
    await hears(wanted);
  }
}
