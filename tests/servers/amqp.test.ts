import { describeMessageBus } from "@toolbus/bus/conformance";
import { describeOnServer } from "@toolbus/testing/servers";
import { amqpSpace } from "./amqp-space.ts";
import { refuseOnRabbitmq } from "./refuse-replacements.ts";

describeOnServer("rabbitmq", "RabbitMQ", (server) => {
  const space = amqpSpace(server);
  describeMessageBus("amqp", {
    open: ({ namespace, drainMs }) => space.connect({ namespace, drainMs }),
    features: { durable: true, ordered: "single-consumer", delayedRetry: true, refusable: ["dead-letter", "retry"] },
    refuse: ({ namespace, ...what }) => refuseOnRabbitmq(server().url, space.namespaceOf(namespace), what),
  });
});
