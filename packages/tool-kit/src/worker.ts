import { consumeQueue, listenTo, type LocalToolsets, type MessageBus, places, type Subscription } from "@toolbus/bus";
import { messageTypes, parser, ToolCancel, ToolInvoke, topics } from "@toolbus/contracts";
import { invokeTool } from "./calls/invoke-pipeline.ts";
import { answerPlans } from "./calls/answer-plans.ts";
import { answeredReads } from "./calls/answered-reads.ts";
import { localToolset, type OpenLocalToolset } from "./calls/local-toolset.ts";
import { observePromises } from "./protection/observe-promises.ts";
import { openProtection } from "./protection/protection.ts";
import { keepPresent } from "./registry/toolset-presence.ts";
import { cancelCall, deliveryDeadlineMs, invokeContext, type WorkerOptions } from "./worker-options.ts";

export interface Worker {
  /** Accepts no new calls and waits for the calls under way. Safe to call twice. */
  stop(): Promise<void>;
  /**
   * Registers the toolset as it is now, and announces it. Call it after tools were added, replaced or removed, or if they cannot be used any more.
   */
  renew(): Promise<void>;
}

/**
 * Serves a toolset: registers it, sends heartbeats, consumes `tool.invoke.<toolset>` and the questions for plans, and listens for cancels and requests to register again.
 * Resolves when calls may arrive. Rejects with `RegistryConflict` if a tool's name belongs to another toolset. Then nothing was started. With `local`,
 * the agents of this process call the toolset directly. `concurrency` limits the calls of both ways together.
 */
export async function startWorker(
  options: WorkerOptions & { readonly bus: MessageBus; readonly concurrency?: number; readonly local?: LocalToolsets | undefined },
): Promise<Worker> {
  const { bus, toolset, log, clock, concurrency = 16 } = options;
  const { protection = openProtection({ monotonic: options.monotonic, log }) } = options;
  const shared = { ...options, protection };
  const context = invokeContext(shared, { publish: (answer) => bus.publish(answer), announce: (said) => bus.announce(said) });
  const presence = await keepPresent(bus, shared);
  // These parts are stopped in reverse order, because the number of forged calls is final only when no more calls arrive.
  const subscriptions: Pick<Subscription, "stop">[] = [
    ...(options.protection ? [] : [{ stop: async () => protection.stop() }]),
    context.security,
    context.unknownTools,
    observePromises(toolset),
    presence,
  ];
  const room = places(concurrency);
  const here = options.local && localToolset(context, room);
  const topic = topics.invoke(toolset.name);
  const reads = answeredReads(toolset);
  let stopping: Promise<void> | null = null;
  const worker: Worker = { stop: () => (stopping ??= stopAll(subscriptions)), renew: presence.renew };
  try {
    subscriptions.push(
      await listenTo(bus, {
        topic: topics.toolCancel,
        types: [messageTypes.toolCancel],
        parse: parseCancel,
        listener: (_, cancel) => cancelCall(cancel.toolCallId, context),
        log,
      }),
    );
    subscriptions.push(
      await consumeQueue(bus, {
        topic,
        types: [messageTypes.toolInvoke],
        parse: parseInvoke,
        concurrency,
        deadlineMs: deliveryDeadlineMs(toolset),
        backoffMs: context.timings.retryMs,
        lettersPerMinute: options.deadLettersPerMinute,
        handler: async (message, invoke, delivery) => {
          const place = here && (room.tryTake() ?? (await room.take(delivery.signal)));
          return reads.once(message, invoke, delivery, () => invokeTool(message, invoke, delivery, context)).finally(() => place?.leave());
        },
        log,
        clock,
      }),
    );
    subscriptions.push(...(await answerPlans(bus, context, { concurrency, lettersPerMinute: options.deadLettersPerMinute })));
    if (here) subscriptions.push(atHand(options.local, topic, here));
    await presence.announce();
  } catch (error) {
    await worker.stop();
    throw error;
  }
  return worker;
}

/** Offers the toolset to the agents of this process. A stop withdraws it first, so that later calls go to the bus. */
function atHand(local: LocalToolsets | undefined, topic: string, here: OpenLocalToolset): Pick<Subscription, "stop"> {
  local?.set(topic, here);
  return {
    stop() {
      if (local?.get(topic) === here) local.delete(topic);
      return here.stop();
    },
  };
}

const parseCancel = parser(ToolCancel);
const parseInvoke = parser(ToolInvoke);

/**
 * Stops the subscriptions in reverse order. The queue is stopped first, so that no new calls arrive while a cancel can still reach the calls under
 * way.
 */
async function stopAll(subscriptions: readonly Pick<Subscription, "stop">[]): Promise<void> {
  for (const subscription of subscriptions.toReversed()) await subscription.stop();
}
