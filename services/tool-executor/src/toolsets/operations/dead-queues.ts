import { BusUnavailable, type Delivery, type Disposition, faultFields, listenTo, type MessageBus, type Subscription } from "@toolbus/bus";
import { keys, messageTypes, parser, queuesOf, ToolAnnounce, ToolRefresh, topics } from "@toolbus/contracts";
import { pause } from "@toolbus/runtime";
import type { StateStore } from "@toolbus/state";
import type { Log } from "@toolbus/telemetry";

export interface DeadQueuesOptions {
  readonly bus: MessageBus;
  readonly state: StateStore;
  readonly log: Log;
  /** The time between two checks for queues that nobody announced, in milliseconds. */
  readonly everyMs: number;
  /** Called with each dead letter and its queue. */
  readonly handle: (queue: string, delivery: Delivery) => Promise<Disposition>;
}

/**
 * Consumes the dead letters of every queue. These are the queues of the registered toolsets, of all agents that ever started, and the fixed ones. A
 * toolset that registers later, or an agent that starts later, announces itself or is found at the next check. Resolves when the currently known
 * queues are consumed. A queue is consumed as long as this process runs, because it may contain messages even if its toolset is no longer registered.
 */
export async function consumeDeadQueues(options: DeadQueuesOptions): Promise<Subscription> {
  const { bus, log, everyMs, handle } = options;
  const stopping = new AbortController();
  const consumed = new Map<string, Subscription>();
  const hints: Subscription[] = [];
  let looking: Promise<void> = Promise.resolve();
  try {
    const announce = { topic: topics.toolAnnounce, types: [messageTypes.toolAnnounce], parse: parser(ToolAnnounce) };
    hints.push(await listenTo(bus, { ...announce, listener: look, log }));
    // An agent sends this request when it starts.
    const refresh = { topic: topics.toolRefresh, types: [messageTypes.toolRefresh], parse: parser(ToolRefresh) };
    hints.push(await listenTo(bus, { ...refresh, listener: look, log }));
    await look();
  } catch (error) {
    await stop();
    throw error;
  }
  const polling = (async () => {
    for (;;) {
      await pause(everyMs, stopping.signal);
      if (stopping.signal.aborted) return;
      await look().catch((error: unknown) => log.warn({ error }, "the list of queues could not be read; it is retried"));
    }
  })();
  return {
    async stop() {
      stopping.abort();
      await polling;
      await stop();
    },
  };

  async function stop(): Promise<void> {
    stopping.abort();
    await Promise.all(hints.map((hint) => hint.stop()));
    await looking;
    await Promise.all([...consumed.values()].map((subscription) => subscription.stop()));
  }

  /** Makes one check at a time, because two checks would consume a new queue twice. */
  function look(): Promise<void> {
    const next = looking.then(lookNow);
    looking = next.catch(() => undefined);
    return next;
  }

  async function lookNow(): Promise<void> {
    for (const queue of await queuesNow(options)) {
      if (stopping.signal.aborted) return;
      if (!consumed.has(queue)) await consume(queue);
    }
  }

  /**
   * Consumes one queue. Agents and toolsets write their own names, so a name for which this login has no rights must not block other dead letters.
   */
  async function consume(queue: string): Promise<void> {
    try {
      consumed.set(queue, await bus.consume(topics.dead(queue), (delivery) => handle(queue, delivery), { concurrency: CONCURRENCY }));
    } catch (error) {
      if (!(error instanceof BusUnavailable) || FIXED.includes(queue)) throw error;
      log.warn({ ...faultFields(error), queue }, "the dead letters of a queue cannot be consumed; it is retried");
    }
  }
}

const CONCURRENCY = 4;
/** The queues of every system. If one of them cannot be consumed, the broker or the login has a fault. */
const FIXED = queuesOf({ agents: [], toolsets: [] });
const PAGE = 256;

async function queuesNow({ state }: DeadQueuesOptions): Promise<readonly string[]> {
  const agents = await membersOf(state, keys.agentIndex());
  const tools = await membersOf(state, keys.registryIndex());
  const toolsets = new Set(tools.flatMap((member) => /^([^/]+)\//.exec(member)?.[1] ?? []));
  return queuesOf({ agents, toolsets: [...toolsets] });
}

async function membersOf(state: StateStore, index: string): Promise<readonly string[]> {
  const members: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await state.page(index, { limit: PAGE, ...(cursor === undefined ? {} : { cursor }) });
    members.push(...page.members.map(({ member }) => member));
    cursor = page.cursor;
  } while (cursor !== undefined);
  return members;
}
