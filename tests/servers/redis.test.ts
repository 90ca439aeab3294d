import { describeStateStore } from "@toolbus/state/conformance";
import { describeOnServer } from "@toolbus/testing/servers";
import { redisSpace } from "./redis-space.ts";

describeOnServer("redis", "the contract on a real server", (server) => {
  const space = redisSpace(server);
  describeStateStore("redis", { open: space.open, features: { durable: true } });
});
