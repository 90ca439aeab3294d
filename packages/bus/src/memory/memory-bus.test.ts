import { describeMessageBus } from "../conformance/index.ts";
import { memoryBus } from "./memory-bus.ts";

describeMessageBus("memory", {
  open: async ({ drainMs }) => memoryBus({ drainMs }),
  features: { durable: false, ordered: "single-consumer", delayedRetry: true },
});
