import { describeOnServer } from "@toolbus/testing/servers";
import { it } from "vitest";
import { onServers } from "./testing/dead-letter-places.ts";
import { killedInMidCall } from "./testing/killed-bridge.ts";

// The holder's lease of 10 s has to end first, so this test takes longer than the one of a bridge that is started again.
describeOnServer("nats", "a bridge that is killed with SIGKILL while another one stands by", (broker) =>
  describeOnServer("redis", "and Redis", (redis) => {
    it("leaves its calls to the other one, which then runs the only process of the server", () =>
      killedInMidCall(onServers(broker(), redis()), "standing by"));
  }),
);
