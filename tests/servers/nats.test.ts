import { describeMessageBus } from "@toolbus/bus/conformance";
import { describeOnServer } from "@toolbus/testing/servers";
import { natsSpace } from "./nats-space.ts";

describeOnServer("nats", "the contract on a real server", (server) => {
  const space = natsSpace(server);
  describeMessageBus("nats", {
    open: ({ namespace, drainMs }) => space.connect({ namespace, drainMs }),
    features: { durable: true, ordered: "single-consumer", delayedRetry: true },
  });
});
