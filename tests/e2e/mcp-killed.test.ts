import { describeOnServer } from "@toolbus/testing/servers";
import { it } from "vitest";
import { onServers } from "./testing/dead-letter-places.ts";
import { killedInMidCall } from "./testing/killed-bridge.ts";

// Only the longer test run covers RabbitMQ.
for (const kind of process.env["LONG_PROOFS"] ? (["nats", "rabbitmq"] as const) : (["nats"] as const))
  describeOnServer(kind, "a bridge that is killed with SIGKILL in the middle of two calls", (broker) =>
    describeOnServer("redis", "and Redis", (redis) => {
      it("leaves the outcome of the write unknown, once, and does not repeat it; the read is repeated and answers", () =>
        killedInMidCall(onServers(broker(), redis()), "restarted"));
    }),
  );
