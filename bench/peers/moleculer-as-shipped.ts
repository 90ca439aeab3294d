import { connect } from "amqplib";
import { ServiceBroker } from "moleculer";
import { checkArguments, type JsonObject } from "@toolbus/contracts";
import { act, ARGUMENTS, executorOf, noopTools } from "../src/embedded/noop-tools.ts";
import { type Driver, type Place, PREFETCH } from "../src/tool-call/driver.ts";

const SERVICE = "bench";
const ACTION = `${SERVICE}.look`;

/**
 * moleculer on RabbitMQ, as durable as possible. It uses durable classic queues and persistent messages. It acks a message when the handler has
 * finished. RabbitMQ distributes the requests instead of moleculer's own balancer. moleculer publishes without confirms.
 */
export const driver: Driver = {
  async answer(place) {
    const broker = brokerOf(place, "answers");
    const { definition } = executorOf(noopTools(), "look");
    broker.createService({
      name: SERVICE,
      actions: {
        look({ params }: { readonly params: JsonObject }): JsonObject {
          if (checkArguments(definition, params).length > 0) throw new Error("a call of the benchmark has wrong arguments");
          return act();
        },
      },
    });
    await broker.start();
    return { stop: () => broker.stop() };
  },

  async open(place) {
    const broker = brokerOf(place, "calls");
    await broker.start();
    await broker.waitForServices(SERVICE, PATIENCE_MS);
    // moleculer announces a service before the service's queue exists. Messages that are sent before the queue exists are lost.
    for (let tries = 20; !(await answered(broker)); tries--) if (tries === 0) throw new Error("moleculer's service does not answer");
    return { call: (args) => broker.call<JsonObject, JsonObject>(ACTION, args), stop: () => broker.stop() };
  },

  async remove({ url, namespace }) {
    const connection = await connect(url);
    const channel = await connection.createChannel();
    const prefix = `MOL-${namespace}`;
    const ofNodes = ["REQ", "RES", "EVENT"].flatMap((kind) => NODES.map((node) => `${prefix}.${kind}.${namespace}-${node}`));
    for (const queue of [`${prefix}.REQB.${ACTION}`, ...ofNodes]) await channel.deleteQueue(queue);
    await connection.close();
  },
};

const PATIENCE_MS = 10_000;
const NODES = ["answers", "calls"] as const;

function answered(broker: ServiceBroker): Promise<boolean> {
  return broker.call(ACTION, ARGUMENTS, { timeout: 500 }).then(
    () => true,
    () => false,
  );
}

function brokerOf({ url, namespace }: Place, node: (typeof NODES)[number]): ServiceBroker {
  return new ServiceBroker({
    namespace,
    nodeID: `${namespace}-${node}`,
    logger: false,
    disableBalancer: true,
    internalServices: false,
    transporter: {
      type: "AMQP",
      options: {
        url,
        prefetch: PREFETCH,
        queueOptions: { durable: true },
        messageOptions: { persistent: true },
        // RabbitMQ deletes moleculer's exchanges when moleculer's nodes disconnect.
        exchangeOptions: { autoDelete: true },
      },
    },
  });
}
