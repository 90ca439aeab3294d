import { type Delivery, type DeliveryHandler, type Disposition, listenTo, type MessageBus, type Subscription } from "@toolbus/bus";
import { describeProblems, jsonParser, type Message, messageTypes, parser, ToolCancel, ToolInvoke, topics } from "@toolbus/contracts";
import { answerPlans } from "./calls/answer-plans.ts";
import { invokeTool } from "./calls/invoke-pipeline.ts";
import { openProtection } from "./protection/protection.ts";
import { keepPresent } from "./registry/toolset-presence.ts";
import { cancelCall, invokeContext, type WorkerOptions } from "./worker-options.ts";

export interface MountedToolset {
  /** The same bus, but calls of the mounted toolset stay in this process. */
  readonly bus: MessageBus;
  /** Accepts no new calls and waits for the calls under way. The underlying bus stays open. Safe to call twice. */
  stop(): Promise<void>;
}

/**
 * Mounts a toolset in this process (B-13). The same pipeline, with the same grants and ledger, handles the messages to its invoke topic on the
 * returned bus, but without the broker. The answer is passed directly to this process's consumer of the reply topic. If there is no such consumer, or
 * if it declines the answer, the answer is published on the bus. A call in memory is lost if the process dies. As with any lost message, the agent's
 * timers send it again.
 */
export async function mountToolset(bus: MessageBus, options: WorkerOptions): Promise<MountedToolset> {
  const { toolset, log } = options;
  const topic = topics.invoke(toolset.name);
  const consumers = new Map<string, DeliveryHandler>();
  const closing = new AbortController();
  const underWay = new Set<Promise<void>>();
  const { protection = openProtection({ monotonic: options.monotonic, log }) } = options;
  const shared = { ...options, protection };
  const context = invokeContext(shared, { publish: deliver, announce: (message) => bus.announce(message) });
  const presence = await keepPresent(bus, shared);
  const cancels = await listenTo(bus, {
    topic: topics.toolCancel,
    types: [messageTypes.toolCancel],
    parse: parseCancel,
    listener: (_, cancel) => cancelCall(cancel.toolCallId, context),
    log,
  });
  const plans = await answerPlans(bus, context, { concurrency: PLANS_AT_ONCE });
  await presence.announce();
  return {
    bus: {
      ...wrap(bus),
      publish: (message) => (message.topic === topic && !closing.signal.aborted ? accept(message) : bus.publish(message)),
      consume,
    },
    stop,
  };

  async function accept(message: Message): Promise<void> {
    const done = work(message).finally(() => underWay.delete(done));
    underWay.add(done);
  }

  async function work(message: Message): Promise<void> {
    const parsed = message.type === messageTypes.toolInvoke ? parseInvoke(message.body) : null;
    if (!parsed?.ok)
      return log.warn(
        { messageId: message.id.slice(0, 160), why: parsed ? describeProblems(parsed.problems).slice(0, 300) : "type" },
        "an invoke that cannot be read was dropped",
      );
    for (let count = 1; count <= MAX_DELIVERIES && !closing.signal.aborted; count++) {
      const disposition = await invokeTool(message, parsed.value, { count, signal: closing.signal }, context).catch(faulty);
      if (disposition.kind !== "retry") return;
      await until(disposition.after, closing.signal);
    }
    log.error({ callId: parsed.value.toolCallId }, "a local call was given up; the agent's timer sends it again");
  }

  function faulty(error: unknown): Disposition {
    log.error({ error, toolset: toolset.name }, "a local call failed and is tried again");
    return { kind: "retry", after: context.timings.retryMs[0] ?? 1000, reason: "it failed" };
  }

  async function deliver(answer: Message): Promise<void> {
    const consumer = consumers.get(answer.topic);
    if (consumer) {
      const taken = await consumer({ message: answer, count: 1, signal: closing.signal }).catch(() => null);
      if (taken?.kind === "ack") return;
    }
    await bus.publish(answer);
  }

  async function consume(queue: string, handler: DeliveryHandler, limits: { readonly concurrency: number }): Promise<Subscription> {
    const subscription = await bus.consume(queue, handler, limits);
    const direct = withinConcurrency(handler, limits.concurrency);
    consumers.set(queue, direct);
    return {
      stop() {
        if (consumers.get(queue) === direct) consumers.delete(queue);
        return subscription.stop();
      },
    };
  }

  async function stop(): Promise<void> {
    closing.abort(new Error("The worker stops."));
    await Promise.all(underWay);
    for (const plan of plans) await plan.stop();
    await cancels.stop();
    await presence.stop();
    await context.security.stop();
    if (!options.protection) protection.stop();
  }
}

const parseInvoke = jsonParser(ToolInvoke);
const parseCancel = parser(ToolCancel);
const MAX_DELIVERIES = 10;
const PLANS_AT_ONCE = 16;

function wrap(bus: MessageBus): MessageBus {
  return {
    publish: (message) => bus.publish(message),
    consume: (topic, handler, options) => bus.consume(topic, handler, options),
    announce: (message) => bus.announce(message),
    listen: (topic, listener) => bus.listen(topic, listener),
    unready: () => bus.unready(),
    close: () => bus.close(),
  };
}

/** Declines an answer over the handler's own limit, so that it is published on the underlying bus. */
function withinConcurrency(handler: DeliveryHandler, concurrency: number): DeliveryHandler {
  let busy = 0;
  return async (delivery: Delivery) => {
    if (busy >= concurrency) return { kind: "retry", after: 0, reason: "the consumer is busy" };
    busy++;
    try {
      return await handler(delivery);
    } finally {
      busy--;
    }
  };
}

/** Waits for this time, or until the signal aborts. Does not keep the process alive. */
function until(ms: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms).unref();
  const onAbort = (): void => resolve();
  signal.addEventListener("abort", onAbort, { once: true });
  if (signal.aborted) resolve();
  return promise.finally(() => {
    clearTimeout(timer);
    signal.removeEventListener("abort", onAbort);
  });
}
