import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { redisClient } from "./redis-client.ts";

it("a client whose server has gone rejects at once, and refuses further commands", async () => {
  const server = createServer((socket) => socket.once("data", () => socket.destroy())).listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  const client = await redisClient(`redis://127.0.0.1:${(server.address() as AddressInfo).port}`);
  await expect(client.ask("PING")).rejects.toThrow("The connection to Redis is closed.");
  await expect(client.ask("PING")).rejects.toThrow("The connection to Redis is closed.");
  await client[Symbol.asyncDispose]();
  await client[Symbol.asyncDispose]();
});
