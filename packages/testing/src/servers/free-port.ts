import { randomInt } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:net";

// Below the ports that systems use for outgoing connections (Linux: from 32768). While a server is down, a client that keeps dialling a port in that
// range sooner or later gets this port as its own, connects to itself, and the server cannot start any more.
const FIRST = 20_000;
const LAST = 31_999;
const TRIES = 50;

/**
 * A port of 127.0.0.1 on which nothing listens. Another process may take it before the caller does, so a start on it may fail and should be retried
 * on another port.
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
