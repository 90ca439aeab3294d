import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { describeOnPrivateServer, describeOnServer, removeNamespace } from "@toolbus/testing/servers";
import { natsApi } from "./nats-api.ts";
import { rabbitmqApi } from "./rabbitmq-api.ts";
import { conversation } from "./raw-conversation.ts";

describeOnServer("redis", "a namespace on Redis", (server) => {
  it("is all keys that begin with it, however many, and no others", async () => {
    const own = `remove*-${randomUUID()}`;
    // A pattern of the first namespace would match this namespace's keys if the star were a wildcard.
    const neighbour = own.replace("*", "xx");
    const keys = Array.from({ length: 2000 }, (_, count) => `SET ${own}:${count} 1\r\n`).join("");
    await conversation(server().url, keys, /(?:\+OK\r\n){2000}/);
    await conversation(server().url, `SET ${neighbour}:1 1\r\n`, /OK/);
    await removeNamespace(server(), own);
    expect(await conversation(server().url, `EXISTS ${own}:0 ${own}:1999\r\n`, /\n/)).toBe(":0\r\n");
    expect(await conversation(server().url, `EXISTS ${neighbour}:1\r\n`, /\n/)).toBe(":1\r\n");
    await removeNamespace(server(), neighbour);
    expect(await conversation(server().url, `EXISTS ${neighbour}:1\r\n`, /\n/)).toBe(":0\r\n");
  });
});

describeOnServer("nats", "a namespace on NATS", (server) => {
  it("is all streams whose name begins with it in upper case, and no others", async () => {
    const own = `remove-${randomUUID()}`;
    const neighbour = `${own}x`;
    const names = [own, `${own}_QUEUES`, `${neighbour}_QUEUES`].map((name) => name.toUpperCase());
    for (const name of names) await natsApi(server().url, `$JS.API.STREAM.CREATE.${name}`, { name, subjects: [name], storage: "memory" });
    const left = async (): Promise<readonly string[]> => {
      const { streams } = (await natsApi(server().url, "$JS.API.STREAM.NAMES")) as { readonly streams: readonly string[] | null };
      return (streams ?? []).filter((name) => names.includes(name));
    };
    await removeNamespace(server(), own);
    expect(await left()).toEqual([names[2]]);
    await removeNamespace(server(), neighbour);
    expect(await left()).toEqual([]);
  });
});

describeOnPrivateServer(
  "rabbitmq",
  "a namespace on RabbitMQ",
  (server) => {
    it("removes the named ones, and ignores missing ones", async () => {
      const api = (method: string, resource: string, body?: unknown) => rabbitmqApi(server().managementUrl, method, resource, body);
      await api("PUT", "queues/%2F/own.work", { durable: true, arguments: { "x-queue-type": "quorum" } });
      await api("PUT", "exchanges/%2F/own.topics", { type: "topic" });
      await api("PUT", "queues/%2F/other.work", { durable: true });
      await removeNamespace(server(), "own", { queues: ["own.never", "own.work"], exchanges: ["own.topics", "own.never"] });
      expect(await api("GET", "queues/%2F/own.work")).toMatchObject({ status: 404 });
      expect(await api("GET", "exchanges/%2F/own.topics")).toMatchObject({ status: 404 });
      expect(await api("GET", "queues/%2F/other.work")).toMatchObject({ status: 200 });
    });
  },
  { management: true },
);

describe("a namespace", () => {
  const nowhere = { kind: "rabbitmq", url: "amqp://guest:secret@127.0.0.1:1" } as const;

  it("is refused together with names outside of it, before anything is removed", async () => {
    await expect(removeNamespace(nowhere, "own", { queues: ["own.work", "other.work", "ownx"] })).rejects.toThrow(
      "Not of the namespace own: other.work, ownx.",
    );
  });

  it("is refused when it is empty", async () => {
    await expect(removeNamespace(nowhere, "")).rejects.toThrow("An empty namespace would remove everything.");
  });

  it("reports that it could not be removed, without the password", async () => {
    const failed = await removeNamespace(nowhere, "own").catch((error: unknown) => error);
    expect(String(failed)).toBe("Error: The namespace own could not be removed from RabbitMQ.");
    expect(JSON.stringify(failed, Object.getOwnPropertyNames(failed))).not.toContain("secret");
  });
});
