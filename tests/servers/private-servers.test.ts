import { expect, it } from "vitest";
import { describeOnPrivateServer, startPrivateServer } from "@toolbus/testing/servers";
import { natsApi } from "./nats-api.ts";
import { rabbitmqApi } from "./rabbitmq-api.ts";
import { conversation } from "./raw-conversation.ts";

describeOnPrivateServer("redis", "a private Redis", (server) => {
  it("keeps its address and its data when it is killed and started again", async () => {
    const { url } = server();
    expect(await conversation(url, "SET killed yes\r\n", /\n/)).toBe("+OK\r\n");
    await server().kill();
    await expect(conversation(url, "PING\r\n", /\n/)).rejects.toMatchObject({ code: "ECONNREFUSED" });
    await server().start();
    expect(await conversation(url, "GET killed\r\n", /yes/)).toBe("$3\r\nyes\r\n");
  });

  it("keeps them when it is stopped, and is not started twice", async () => {
    await conversation(server().url, "SET stopped yes\r\n", /\n/);
    await server().stop();
    await server().start();
    await server().start();
    expect(await conversation(server().url, "GET stopped\r\n", /yes/)).toBe("$3\r\nyes\r\n");
  });

  it("loses nothing that it acknowledged and evicts nothing", async () => {
    const setting = (name: string) => conversation(server().url, `CONFIG GET ${name}\r\n`, /\*2(?:\r\n[^\r]+){4}\r\n$/);
    expect(await setting("appendfsync")).toContain("always");
    expect(await setting("appendonly")).toContain("yes");
    expect(await setting("maxmemory-policy")).toContain("noeviction");
  });

  it("answers nobody while it is paused, and everybody afterwards", async () => {
    await using witness = await startPrivateServer("redis");
    await server().pause();
    let answer = "";
    const asked = conversation(server().url, "PING\r\n", /\n/).then((text) => (answer = text));
    for (let count = 0; count < 20; count += 1) await conversation(witness.url, "PING\r\n", /PONG/);
    expect(answer).toBe("");
    await server().resume();
    expect(await asked).toBe("+PONG\r\n");
  });

  it("can be stopped, killed and removed while it is paused", async () => {
    await using other = await startPrivateServer("redis");
    await other.pause();
    await other.stop();
    await other.start();
    await other.pause();
    await other.kill();
    await other.remove();
    await other.remove();
    await expect(conversation(other.url, "PING\r\n", /\n/)).rejects.toMatchObject({ code: "ECONNREFUSED" });
  });

  it("accepts settings, which override its own", async () => {
    await using other = await startPrivateServer("redis", { settings: { requirepass: "open sesame", appendfsync: "everysec" } });
    expect(other.described).not.toContain("sesame");
    expect(await conversation(other.url, "PING\r\n", /\n/)).toContain("NOAUTH");
    const heard = await conversation(other.url, 'AUTH "open sesame"\r\nCONFIG GET appendfsync\r\n', /sec/);
    expect(heard).toContain("everysec");
  });

  it("says why if it does not start", async () => {
    await expect(startPrivateServer("redis", { settings: { "no-such-setting": "1" } })).rejects.toThrow(
      /Redis ended before it answered\. Its last words: [^]*no-such-setting/,
    );
  });

  it("is not waited for after its caller gave up", async () => {
    const reason = new Error("enough");
    await expect(startPrivateServer("redis", {}, AbortSignal.abort(reason))).rejects.toBe(reason);
  });
});

describeOnPrivateServer(
  "nats",
  "a private NATS",
  (server) => {
    it("keeps its address and its streams when it is killed and started again", async () => {
      const { url } = server();
      await natsApi(url, "$JS.API.STREAM.CREATE.KEPT", { name: "KEPT", subjects: ["kept"], storage: "file" });
      expect(await natsApi(url, "kept", { hello: true })).toEqual({ stream: "KEPT", seq: 1 });
      await server().kill();
      await server().start();
      expect(await natsApi(url, "$JS.API.STREAM.INFO.KEPT")).toMatchObject({ state: { messages: 1 } });
    });

    it("admits nobody without its login", async () => {
      const { host, port } = server();
      const strangerUrl = `nats://${host}:${port}`;
      expect(await conversation(strangerUrl, "CONNECT {}\r\nPING\r\n", /-ERR/)).toContain("Authorization Violation");
      expect(server().described).not.toContain("pa55");
    });

    it("takes settings", async () => {
      expect(await conversation(server().url, "", /INFO .*\r\n/)).toContain('"max_payload":2097152');
    });
  },
  { user: "ada", password: "pa55", settings: { max_payload: "2MB" } },
);

describeOnPrivateServer(
  "rabbitmq",
  "a private RabbitMQ",
  (server) => {
    const api = (method: string, resource: string, body?: unknown) => rabbitmqApi(server().managementUrl, method, resource, body);

    it("keeps its address and its messages when it is stopped, killed and started again, and then has its management again", async () => {
      expect(await api("PUT", "queues/%2F/kept", { durable: true })).toMatchObject({ status: 201 });
      // RabbitMQ 3.10 writes a declared queue to disk some time after it has confirmed the declaration. Only a clean stop waits for that.
      await server().stop();
      await server().start();
      const message = { routing_key: "kept", payload: "hello", payload_encoding: "string", properties: { delivery_mode: 2 } };
      expect(await api("POST", "exchanges/%2F/amq.default/publish", message)).toMatchObject({ body: { routed: true } });
      await server().kill();
      await server().start();
      const taken = await api("POST", "queues/%2F/kept/get", { count: 1, ackmode: "ack_requeue_false", encoding: "auto" });
      expect(taken.body).toMatchObject([{ payload: "hello", redelivered: true }]);
    });

    it("runs beside another one", async () => {
      await using other = await startPrivateServer("rabbitmq");
      expect(other.managementUrl).toBeNull();
      expect(other.port).not.toBe(server().port);
      expect(await api("GET", "nodes")).toMatchObject({ body: [{ running: true }] });
    });
  },
  { management: true },
);
