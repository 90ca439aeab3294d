import { describe, expect, it } from "vitest";
import { brokerSetup } from "./broker-setup.ts";

describe("what a bus needs on its broker", () => {
  it("are policies of the URL's namespace and virtual host on RabbitMQ, which can be checked if the URL names the management plugin", () => {
    const plain = brokerSetup("amqp://me:hunter2@broker?namespace=tb");
    expect(plain).toMatchObject({ ok: true, setup: { broker: "rabbitmq", namespace: "tb", vhost: "/", check: null } });
    const checked = brokerSetup("amqps://me:hunter2@broker/prod?management=http%3A%2F%2Fbroker%3A15672");
    expect(checked).toMatchObject({ ok: true, setup: { namespace: "toolbus", vhost: "prod", check: expect.any(Function) } });
  });

  it("are streams of the URL's sizes on NATS, and nothing in memory", () => {
    expect(brokerSetup("tls://hunter2@broker?replicas=3")).toMatchObject({
      ok: true,
      setup: { broker: "nats", streams: [{ name: "TOOLBUS_INVOKE", num_replicas: 3 }, {}, {}, {}, {}] },
    });
    expect(brokerSetup("memory:")).toEqual({ ok: true, setup: { broker: "memory" } });
  });

  it("contain nothing of the login", () => {
    for (const url of ["amqp://me:hunter2@broker?management=http%3A%2F%2Fyou%3Ahunter3%40broker%3A15672", "nats://me:hunter2@broker"]) {
      expect(JSON.stringify(brokerSetup(url))).not.toMatch(/hunter|"me"|you/);
    }
  });

  it.each(["kafka://me:hunter2@broker", "amqp://me:hunter2@broker?namespace=A", "nats://me:hunter2@broker?colour=red", "memory:x", ""])(
    "are refused in one sentence for %s, just like its bus",
    (url) => {
      expect(brokerSetup(url)).toEqual({ ok: false, reason: expect.stringMatching(/^BUS_URL (?!.*hunter2).*\.$/) });
    },
  );
});
