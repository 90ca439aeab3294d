import { randomInt } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:net";

// These ports are below the range for outgoing connections (on Linux from 32768). While a server is down, its client keeps dialling the server's
// port. If the port were in that range, the system could give the client this port for its outgoing connection. The client would then connect to
// itself, and the server could no longer start.
const FIRST = 20_000;
const LAST = 31_999;
const TRIES = 50;

/**
 * Returns a port of 127.0.0.1 on which nothing listens. Another process may take the port before the caller does. So a start on the port may fail,
 * and should be retried on another port.
 */
export async function freePort(draw: (from: number, to: number) => number = randomInt): Promise<number> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const port = draw(FIRST, LAST + 1);
    if (await isFree(port)) return port;
  }
  throw new Error(`None of ${TRIES} ports between ${FIRST} and ${LAST} is free.`);
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  try {
    server.listen(port, "127.0.0.1");
    await once(server, "listening");
  } catch {
    return false;
  }
  server.close();
  await once(server, "close");
  return true;
}
