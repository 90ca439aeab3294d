// A separate process that consumes "orders". A test pauses or kills it. The process prints its deliveries, and ends a handler on request.
import { connectBus } from "@toolbus/bus";

const [url = "", ackWaitMs = ""] = process.argv.slice(2);
const reported = Promise.withResolvers<void>();
process.on("message", () => reported.resolve());
process.on("disconnect", () => process.exit());

const timings = { ackWaitMs: Number(ackWaitMs), workingMs: Number(ackWaitMs) / 4 };
const bus = await connectBus(url, { clock: Date.now, nats: { timings } });
await bus.consume(
  "orders",
  async ({ message, count }) => {
    process.send?.({ held: message.id, count });
    await reported.promise;
    process.send?.({ ended: message.id });
    return { kind: "ack" };
  },
  { concurrency: 1 },
);
process.send?.({ ready: true });
