import { BusUnavailable, type Delivery, type Disposition, faultFields, listenTo, type MessageBus, type Subscription } from "@toolbus/bus";
import { keys, messageTypes, parser, queuesOf, ToolAnnounce, ToolRefresh, topics } from "@toolbus/contracts";
import { pause } from "@toolbus/runtime";
import type { StateStore } from "@toolbus/state";
import type { Log } from "@toolbus/telemetry";

export interface DeadQueuesOptions {
  readonly bus: MessageBus;
  readonly state: StateStore;
  readonly log: Log;
  /** How often it looks for queues that nobody told of. */
  readonly everyMs: number;
  /** Called with the queue whose dead letter it is. */
  readonly handle: (queue: string, delivery: Delivery) => Promise<Disposition>;
}

/**
 * Consumes the dead letters of every queue there is: those of the registered toolsets, of the agents that ever started, and the fixed ones. Who registers
 * or starts later is heard of by announcement, or found at the next look. Resolves when the queues that are known now are consumed. A queue is consumed
 * as long as this process lives, also when its toolset is registered no more: something may still lie there.
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
    // An agent asks for this when it starts.
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
      await look().catch((error: unknown) => log.warn({ error }, "it could not be read which queues there are; it is tried again"));
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

  /** One look at a time: two would consume a new queue twice. */
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

  /** Names of agents and toolsets are written by those: one that this login has no rights for must not keep the others' letters from being kept. */
  async function consume(queue: string): Promise<void> {
    try {
      consumed.set(queue, await bus.consume(topics.dead(queue), (delivery) => handle(queue, delivery), { concurrency: CONCURRENCY }));
    } catch (error) {
      if (!(error instanceof BusUnavailable) || FIXED.includes(queue)) throw error;
      log.warn({ ...faultFields(error), queue }, "the dead letters of a queue cannot be had; it is tried again");
    }
  }
}

const CONCURRENCY = 4;
/** Those that there are in every system: without them something is wrong with the broker, or with the login. */
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
