// A preload for a process that must not use the network. Every connection, listener and look-up throws, and says so on standard error.
import dgram from "node:dgram";
import dns from "node:dns";
import net from "node:net";
import { writeSync } from "node:fs";

function refuse(what: string): never {
  writeSync(2, `NETWORK USED: ${what}\n`);
  throw new Error(`This process may not use the network: ${what}.`);
}

net.Socket.prototype.connect = () => refuse("connect");
net.Server.prototype.listen = () => refuse("listen");
dgram.Socket.prototype.send = () => refuse("send");
dns.lookup = Object.assign((() => refuse("lookup")) as unknown as typeof dns.lookup, dns.lookup);
globalThis.fetch = () => refuse("fetch");
