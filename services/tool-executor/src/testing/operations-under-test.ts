import { memoryBus } from "@toolbus/bus";
import {
  type DeadLetter,
  type Json,
  keys,
  type KeptLetter,
  letterOfMember,
  type Message,
  message,
  messageTypes,
  parseKeptLetter,
  type ReplayRequest,
  type RunOrigin,
  shardOf,
  topics,
} from "@toolbus/contracts";
import { ownKeys } from "@toolbus/grants";
import { type Change, memoryStore, type StateStore } from "@toolbus/state";
import { type Log, silentLog } from "@toolbus/telemetry";
import { type OperationsOptions, startOperations } from "../toolsets/operations/start-operations.ts";

export const RUN = "rn_03_01JD0000000000000000000001";
export const CALL = `${RUN}.1.0`;
export const DAY = 86_400_000;
/** The keys of approvals and of another service. */
export const own = await ownKeys(["approvals", "worker.release"]);

/** Sets up the parts that tests of an operations worker share: a bus and a store in memory, a clock that they move, and a signal for every commit. */
export async function setup(options: Partial<OperationsOptions> & { readonly wrapStore?: (state: StateStore) => StateStore } = {}) {
  const clock = { now: 1_800_000_000_000 };
  const read = (): number => clock.now;
  const bus = memoryBus({ clock: read });
  const store = memoryStore({ clock: read });
  const committed = signals();
  const watched: StateStore = {
    ...store,
    async commit(shard: string, change: Change) {
      const reply = await store.commit(shard, change);
      if (reply.outcome === "ok") committed.say(change.op);
      return reply;
    },
  };
  const log: Log = options.log ?? silentLog;
  const state = options.wrapStore?.(watched) ?? watched;
  const start = () => startOperations({ bus, state, trusted: own.trusted, clock: read, keptMs: 30 * DAY, ...options, log });
  const operations = await start();
  const letters = async (index = keys.deadLetters()): Promise<KeptLetter[]> => {
    const { members } = await store.page(index, { limit: 100 });
    const { documents } = await store.read(members.map(({ member }) => keys.deadLetter(letterOfMember(member).letterId)));
    return documents.flatMap((document) => {
      const letter = parseKeptLetter(document?.value);
      return letter.ok ? [letter.value] : [];
    });
  };
  let puts = 0;
  const put = async (shard: string, key: string, value: Json): Promise<void> => {
    await store.commit(shard, { op: `put:${++puts}`, guards: [{ key, version: 0 }], put: [{ key, value }] });
  };

  return {
    bus,
    store,
    clock,
    operations,
    /** Starts another worker with the same store and bus. */
    start,
    /** Resolves when a change whose op begins with this prefix was committed since the last call. */
    committed: committed.said,
    letters,
    /** Puts a message on a dead queue, and returns the document in which it is kept. */
    async kept(queue: string, dead: Message): Promise<KeptLetter> {
      const before = new Set((await letters()).map(({ letterId }) => letterId));
      await bus.publish(dead);
      await committed.said("keep:");
      const added = (await letters(keys.deadLetters(queue))).find(({ letterId }) => !before.has(letterId));
      if (!added) throw new Error("The dead letter is not in the list of its queue.");
      return added;
    },
    /** Records the tenant of a run, as the gateway does. */
    async origin(runId: string, tenant: string) {
      const value: RunOrigin = {
        runId,
        conversationId: "cv_03_01JD0000000000000000000001",
        tenant,
        principal: "una",
        scopes: [],
        agent: "default",
        messageHash: "h",
        via: { kind: "http" },
        createdAt: 1,
        openUntil: 2,
      };
      await put(shardOf(runId), keys.runOrigin(runId), value);
    },
    /** Records a request for a replay, as the gateway does. */
    async request(letterId: string, part: Partial<ReplayRequest> = {}) {
      const value: ReplayRequest = { letterId, by: "otto", askedAt: clock.now, ...part };
      await put(shardOf(letterId), keys.replayRequest(letterId), value);
    },
    /** Asks the worker to replay a dead letter, as the gateway's outbox does. */
    async ask(letterId: string, n = 1) {
      await bus.publish(
        message({
          id: `ask:${letterId}#${n}`,
          topic: topics.operationsReplay,
          type: messageTypes.operationsReplay,
          source: "/test",
          now: clock.now,
          body: { letterId },
        }),
      );
    },
    /** Adds a toolset or an agent to its index. */
    async index(index: string, member: string) {
      const guards = [{ key: `tb:test:{00}:${index}`, version: 0 }];
      await store.commit("00", { op: `index:${index}:${member}`, guards, index: [{ index, member, score: 0 }] });
    },
    async [Symbol.asyncDispose]() {
      await operations.stop();
      await bus.close();
      await store.close();
    },
  };
}

/** Returns a message that its queue gave up, as it is in a dead letter. */
export function deadMessage(part: Partial<DeadLetter["message"]> = {}): DeadLetter["message"] {
  return {
    id: `wake:${RUN}#1`,
    topic: topics.runWake,
    type: messageTypes.runWake,
    source: "/gateway",
    time: "2027-01-15T08:00:00.000Z",
    attributes: { [`toolbus-agent`]: "default" },
    body: JSON.stringify({ runId: RUN }),
    ...part,
  };
}

/** Returns a dead letter in the format of the bus, with a shorter id. */
export function letter(queue: string, part: Partial<DeadLetter> = {}): Message {
  const body: DeadLetter = {
    queue,
    reason: "the body breaks its schema",
    deliveries: 1,
    history: [],
    message: deadMessage(),
    cut: false,
    ...part,
  };
  return message({
    id: `dead:${body.message.id}#${body.deliveries}`,
    topic: topics.dead(queue),
    type: messageTypes.deadLetter,
    source: "bus",
    now: 1_800_000_000_000,
    body,
  });
}

/** Records names, and waits for the next one with a prefix. */
function signals() {
  const unheard: string[] = [];
  const waiting = new Set<{ readonly prefix: string; readonly resolve: (name: string) => void }>();
  return {
    say(name: string): void {
      for (const one of waiting) {
        if (!name.startsWith(one.prefix)) continue;
        waiting.delete(one);
        return one.resolve(name);
      }
      unheard.push(name);
    },
    said(prefix: string): Promise<string> {
      const at = unheard.findIndex((name) => name.startsWith(prefix));
      const [name] = at < 0 ? [] : unheard.splice(at, 1);
      if (name !== undefined) return Promise.resolve(name);
      const { promise, resolve } = Promise.withResolvers<string>();
      waiting.add({ prefix, resolve });
      return promise;
    },
  };
}
