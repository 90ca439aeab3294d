import { describe, expect, it } from "vitest";
import { type AmqpLogin, amqpDefinitions } from "./rights.ts";

const PLACE = { vhost: "/", namespace: "tb", scratch: "tb-check" };
const SALT = Buffer.from([1, 2, 3, 4]);
const worker: AmqpLogin = {
  user: "worker",
  password: "secret",
  salt: SALT,
  rights: { publishes: ["tool.result.default"], consumes: ["tool.invoke.release"], announces: ["tool.announce"], listens: ["tool.cancel"] },
};

const definitionsOf = (...logins: readonly AmqpLogin[]) => amqpDefinitions(PLACE, logins, ["tool.invoke.release"]);

describe("the definitions of a RabbitMQ", () => {
  it("let a user declare only its listeners' queue, and reach only its own queue and our exchanges", () => {
    const [permission] = definitionsOf(worker).permissions;
    expect(permission).toEqual({
      user: "worker",
      vhost: "/",
      configure: "^(tb|tb-check)\\.listen\\.[\\w-]+$",
      write: "^(tb|tb-check)\\.(work|dead|retry|broadcast|listen\\.[\\w-]+)$",
      read: "^(tb|tb-check)\\.(broadcast|listen\\.[\\w-]+|queue\\.tool\\.invoke\\.release)$",
    });
    // RabbitMQ checks permissions on the default exchange under this name.
    for (const pattern of [permission?.configure, permission?.write, permission?.read])
      expect("amq.default").not.toMatch(new RegExp(pattern ?? ""));
  });

  it("list for each exchange the keys that it may use: without a list all would be allowed", () => {
    const keys = definitionsOf(worker).topic_permissions.map(({ exchange, write, read }) => [exchange, write, read]);
    const each = (namespace: string) => [
      [`${namespace}.work`, "^tool\\.result\\.default$", "^$"],
      [`${namespace}.dead`, "^tool\\.invoke\\.release$", "^$"],
      [`${namespace}.retry`, "^[0-9]+\\.tool\\.invoke\\.release$", "^$"],
      [`${namespace}.broadcast`, "^tool\\.announce$", "^tool\\.cancel$"],
    ];
    expect(keys).toEqual([...each("tb"), ...each("tb-check")]);
  });

  it("let a user who does nothing do nothing, and the one that sets up publish nothing", () => {
    const nobody: AmqpLogin = { ...worker, user: "nobody", rights: { publishes: [], consumes: [], announces: [], listens: [] } };
    const { permissions, topic_permissions: topics } = definitionsOf(nobody, { ...worker, user: "setup", rights: "setup" });
    expect(permissions[0]).toMatchObject({ configure: "^$", write: "^$", read: "^$" });
    expect(topics.filter(({ user }) => user === "setup").every(({ write }) => write === "^$")).toBe(true);
  });

  it("hold the password as RabbitMQ hashes it: four bytes, and the SHA-256 of them and the password", () => {
    const [user] = definitionsOf(worker).users;
    // The hash contains the four bytes and the SHA-256 of "\x01\x02\x03\x04secret". We computed the expected value without this code.
    expect(user).toEqual({
      name: "worker",
      password_hash: "AQIDBDB9kM21iEUzN1lZ+6VReCsdNqS0sERdAQTcY6Xs3PMz",
      hashing_algorithm: "rabbit_password_hashing_sha256",
      tags: "",
    });
  });

  it("contain the queues with their ladders, for services that may not declare them, and those of their dead letters", () => {
    const { queues, bindings, exchanges } = definitionsOf(worker);
    expect(exchanges.map(({ name }) => name)).toEqual(["tb.work", "tb.dead", "tb.retry", "tb.broadcast"]);
    const named = queues.map(({ name }) => String(name));
    expect(named).toHaveLength(13);
    expect(named).toEqual(
      expect.arrayContaining([
        "tb.queue.tool.invoke.release",
        "tb.retry.250.tool.invoke.release",
        "tb.queue.dead.dead.tool.invoke.release",
      ]),
    );
    expect(bindings.every(({ destination }) => named.includes(String(destination)))).toBe(true);
  });
});
