import { describe, expect, it } from "vitest";
import { amqpPolicies, setPolicyCommands } from "./policies.ts";
import { amqpTopology, isTopic, queueRoute, retryRoute } from "./topology.ts";

const names = (topic: string) => amqpTopology("toolbus", [topic]).queues.map(({ name }) => name);

describe("the topology on RabbitMQ", () => {
  it("has one queue for a topic, one for its dead letters, and a ladder for each", () => {
    expect(names("run.wake")).toEqual([
      "toolbus.queue.run.wake",
      "toolbus.retry.250.run.wake",
      "toolbus.retry.1000.run.wake",
      "toolbus.retry.5000.run.wake",
      "toolbus.retry.30000.run.wake",
      "toolbus.retry.120000.run.wake",
      "toolbus.queue.dead.run.wake",
      "toolbus.retry.250.dead.run.wake",
      "toolbus.retry.1000.dead.run.wake",
      "toolbus.retry.5000.dead.run.wake",
      "toolbus.retry.30000.dead.run.wake",
      "toolbus.retry.120000.dead.run.wake",
    ]);
  });

  it("routes by topic, so that rights by routing key can say who publishes what", () => {
    expect(queueRoute("toolbus", "tool.invoke.release")).toEqual({ exchange: "toolbus.work", routingKey: "tool.invoke.release" });
    expect(retryRoute("toolbus", "tool.invoke.release", 5000)).toEqual({
      exchange: "toolbus.retry",
      routingKey: "5000.tool.invoke.release",
    });
  });

  it("routes dead letters as RabbitMQ itself does, by the key that the message had", () => {
    const [queue] = amqpTopology("toolbus", ["dead.run.wake"]).queues;
    expect(queueRoute("toolbus", "dead.run.wake")).toEqual({ exchange: "toolbus.dead", routingKey: "run.wake" });
    expect(queue?.bindings).toContainEqual({ exchange: "toolbus.dead", routingKey: "run.wake" });
  });

  it("gives its queues no argument that could ever need a change, except those that define a rung", () => {
    const { queues } = amqpTopology("toolbus", ["orders"]);
    for (const { name, arguments: given } of queues.filter(({ name }) => name.includes(".queue.")))
      expect([name, given]).toEqual([name, { "x-queue-type": "quorum" }]);
  });

  it("returns messages from a rung to their queue, and drops nothing on the way", () => {
    const rung = amqpTopology("toolbus", ["orders"]).queues.find(({ name }) => name === "toolbus.retry.1000.dead.orders");
    expect(rung?.arguments).toEqual({
      "x-queue-type": "quorum",
      "x-message-ttl": 1000,
      "x-dead-letter-exchange": "toolbus.dead",
      "x-dead-letter-routing-key": "orders",
      "x-dead-letter-strategy": "at-least-once",
      "x-overflow": "reject-publish",
    });
  });

  it("has room on the wire for the longest names", () => {
    const topic = "t".repeat(185);
    const longest = amqpTopology("n".repeat(40), [topic]).queues.map(({ name }) => Buffer.byteLength(name));
    expect(isTopic(`dead.${topic}`)).toBe(true);
    expect(isTopic(`dead.${topic}t`)).toBe(false);
    expect(Math.max(...longest)).toBeLessThanOrEqual(255);
  });

  it.each(["", ".", "a.", ".a", "a..b", "*", "a.#", "a b", "ä", "a/b"])("does not accept %j as a topic", (text) => {
    expect(isTopic(text)).toBe(false);
  });
});

describe("the policies for RabbitMQ", () => {
  const matching = (queue: string) =>
    amqpPolicies("toolbus")
      .filter(({ pattern }) => new RegExp(pattern).test(queue))
      .map(({ name }) => name);

  it("are one for each queue, and none for the ladder and for other namespaces", () => {
    expect(matching("toolbus.queue.run.wake")).toEqual(["toolbus-queues"]);
    expect(matching("toolbus.queue.dead.run.wake")).toEqual(["toolbus-dead"]);
    expect(matching("toolbus.queue.deadline")).toEqual(["toolbus-queues"]);
    expect(matching("toolbus.listen.1")).toEqual(["toolbus-listeners"]);
    expect(matching("toolbus.retry.250.run.wake")).toEqual([]);
    expect(matching("toolbus-2.queue.run.wake")).toEqual([]);
  });

  it("keep messages that RabbitMQ gives up, with the strategy that takes effect only together with reject-publish and an exchange", () => {
    expect(amqpPolicies("toolbus")[0]?.definition).toMatchObject({
      "dead-letter-exchange": "toolbus.dead",
      "dead-letter-strategy": "at-least-once",
      overflow: "reject-publish",
    });
  });

  it("are set by commands that a shell accepts unchanged", () => {
    expect(setPolicyCommands("toolbus", "it's")).toEqual([
      `rabbitmqctl set_policy --vhost 'it'\\''s' --apply-to queues --priority 10 'toolbus-queues' '^toolbus\\.queue\\.(?!dead\\.)' '{"delivery-limit":20,"dead-letter-exchange":"toolbus.dead","dead-letter-strategy":"at-least-once","overflow":"reject-publish","max-length":100000}'`,
      `rabbitmqctl set_policy --vhost 'it'\\''s' --apply-to queues --priority 10 'toolbus-dead' '^toolbus\\.queue\\.dead\\.' '{"delivery-limit":1000000,"overflow":"reject-publish","max-length":100000}'`,
      `rabbitmqctl set_policy --vhost 'it'\\''s' --apply-to queues --priority 10 'toolbus-listeners' '^toolbus\\.listen\\.' '{"max-length":10000}'`,
    ]);
  });
});
