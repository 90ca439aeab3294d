// A separate process that consumes "orders". A test pauses or kills it. The process prints its deliveries, and ends a handler on request.
import { connectBus, type Disposition } from "@toolbus/bus";

const [url = "", timings = "", concurrency = "", verdict = ""] = process.argv.slice(2);
const reported = Promise.withResolvers<void>();
process.on("message", () => reported.resolve());
process.on("disconnect", () => process.exit());

const bus = await connectBus(url, { clock: Date.now, nats: { timings: JSON.parse(timings) as object } });
await bus.consume(
  "orders",
  async ({ message, count }) => {
    process.send?.({ held: message.id, count });
    await reported.promise;
    process.send?.({ ended: message.id });
    return JSON.parse(verdict) as Disposition;
  },
  { concurrency: Number(concurrency) },
);
process.send?.({ ready: true });
