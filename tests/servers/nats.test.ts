import { describeMessageBus } from "@toolbus/bus/conformance";
import { describeOnServer } from "@toolbus/testing/servers";
import { natsSpace } from "./nats-space.ts";
import { refuseOnNats } from "./refuse-replacements.ts";

describeOnServer("nats", "the contract on a real server", (server) => {
  const space = natsSpace(server);
  describeMessageBus("nats", {
    open: ({ namespace, drainMs }) => space.connect({ namespace, drainMs }),
    // A retried message stays in its stream and is delayed there. So there is no replacement message that the server could refuse.
    features: { durable: true, ordered: "single-consumer", delayedRetry: true, refusable: ["dead-letter"] },
    refuse: ({ namespace, topic }) => refuseOnNats(server().url, space.namespaceOf(namespace), topic),
  });
});
