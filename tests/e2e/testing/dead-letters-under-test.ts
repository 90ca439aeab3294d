import { type AllInOne, startAllInOne } from "@toolbus/all-in-one";
import type { Message } from "@toolbus/contracts";
import { type ReleaseApi, startReleaseApi } from "@toolbus/example-release-api";
import type { Infrastructure } from "@toolbus/runtime";
import { afterAll, beforeAll, expect } from "vitest";
import { TOOLBUS } from "./cli-under-test.ts";
import type { Place } from "./dead-letter-places.ts";
import { call } from "./http-client.ts";
import { type Ended, runProgram } from "./program.ts";
import { overTheBus } from "./over-the-bus.ts";
import { someRelease } from "./releases.ts";
import { scratch, type Scratch } from "./scratch.ts";

/** Every service in this process, with access to their bus and to the stored dead letters. */
export type DeadLettersUnderTest = Awaited<ReturnType<typeof startDeadLetters>>;

export const RELEASE = "v1.5.0";
/** A time so long that no service sends a call again while the tests run. */
const NEVER_MS = "3600000";
/** In milliseconds. */
const PATIENCE_MS = 20_000;

/** Starts one system for the tests of a suite. */
export function deadLettersIn(place: () => Place): () => DeadLettersUnderTest {
  let system: DeadLettersUnderTest | null = null;
  beforeAll(async () => {
    system = await startDeadLetters(place());
  });
  afterAll(() => system?.stop());
  return () => {
    if (!system) throw new Error("The system exists from the first test on.");
    return system;
  };
}

async function startDeadLetters(place: Place) {
  await using begun = new AsyncDisposableStack();
  const files: Scratch = scratch();
  begun.defer(() => files.remove());
  const data = files.data();
  const api: ReleaseApi = await startReleaseApi({
    directory: files.at("release-api"),
    releases: new Map([[RELEASE, someRelease(RELEASE)]]),
    clock: () => 1_700_000_000_000,
    newId: () => "report-1",
  });
  begun.defer(() => api.stop());
  /** The callbacks that wait for the next dead letter that is stored or replayed. */
  const waiting = new Map<string, (letterId: string) => void>();
  const sent: Message[] = [];
  const consumed: string[] = [];
  begun.defer(() => place.remove(consumed));
  let infrastructure: Infrastructure | null = null;
  /** If set, the next message to a topic that begins with this text is lost. */
  let losing: string | null = null;
  let count = 0;
  const system: AllInOne = await startAllInOne({
    directory: data,
    env: {
      GATEWAY_PORT: "0",
      APPROVALS_PORT: "0",
      RELEASE_API_URL: api.url,
      LOG_LEVEL: "silent",
      REDISPATCH_MS: NEVER_MS,
      REDISPATCH_MAX_MS: NEVER_MS,
      ...place.env,
    },
    wrap: (whole) => {
      infrastructure = whole;
      return overTheBus({ ...whole, bus: losingBus(whole.bus), state: watchedState(whole.state) });
    },
  });
  begun.defer(async () => void (await system.stop()));
  const open = begun.move();
  const env = { TOOLBUS_URL: system.gatewayUrl, TOOLBUS_APPROVALS_URL: system.approvalsUrl, DATA_DIR: data };
  const cliAs = (more: Readonly<Record<string, string>>, ...args: string[]): Promise<Ended> =>
    runProgram(TOOLBUS, args, { env: { ...env, ...more } });
  const built = (): Infrastructure => {
    if (!infrastructure) throw new Error("There is no infrastructure.");
    return infrastructure;
  };
  const ask = async (path: string, request?: object): Promise<unknown> => {
    const { status, body } = await call(`${system.gatewayUrl}/v1/dead-letters${path}`, system.keys.operator, request);
    expect({ path, status }).toEqual({ path, status: request ? 202 : 200 });
    return body;
  };

  const self = {
    gateway: system.gatewayUrl,
    user: system.keys.user,
    cli: (...args: string[]): Promise<Ended> => cliAs({}, ...args),
    cliAs,
    bus: () => built().bus,
    state: () => built().state,
    /** Returns the gateway's view of a dead letter, for an operator. */
    letter: (letterId: string) => ask(`/${letterId}`),
    list: async (query = ""): Promise<unknown> => new Map(Object.entries((await ask(query)) ?? {})).get("deadLetters"),
    replay: (letterId: string) => ask(`/${letterId}/replay`, {}),
    /** Returns the next dead letter that is stored or recorded as replayed. */
    next(what: "keep" | "replayed"): Promise<string> {
      const { promise, resolve, reject } = Promise.withResolvers<string>();
      const late = setTimeout(
        () => reject(new Error(`No letter was ${what === "keep" ? "kept" : what} within ${PATIENCE_MS} ms.`)),
        PATIENCE_MS,
      );
      waiting.set(what, resolve);
      return promise.finally(() => clearTimeout(late));
    },
    message: (topic: string, body: string, part: Partial<Message> = {}): Message => ({
      id: `stray:${++count}`,
      topic,
      type: `toolbus.${topic}`,
      source: "/stranger",
      time: new Date().toISOString(),
      attributes: {},
      body,
      ...part,
    }),
    /** Publishes a message that its queue cannot read, and returns the dead letter that it becomes. */
    async given(topic: string, body: string, part: Partial<Message> = {}): Promise<string> {
      const kept = self.next("keep");
      await self.bus().publish(self.message(topic, body, part));
      return kept;
    },
    /** Makes the next message to such a topic a dead letter, as if its consumer had died at each delivery. */
    loseNext: (topicStart: string) => void (losing = topicStart),
    invokes: (runId: string): readonly Message[] => sent.filter(({ id }) => id.startsWith(runId)),
    stop: () => open.disposeAsync(),
  };
  return self;

  function losingBus(whole: Infrastructure["bus"]): Infrastructure["bus"] {
    return {
      ...whole,
      consume(topic, handler, options) {
        consumed.push(topic);
        return whole.consume(topic, handler, options);
      },
      publish(published) {
        if (published.topic.startsWith("tool.invoke.")) sent.push(published);
        if (losing === null || !published.topic.startsWith(losing)) return whole.publish(published);
        losing = null;
        // A message with this time is too old to be read.
        return whole.publish({ ...published, time: "1999-01-01T00:00:00.000Z" });
      },
    };
  }

  function watchedState(whole: Infrastructure["state"]): Infrastructure["state"] {
    return {
      ...whole,
      async commit(shard, change) {
        const reply = await whole.commit(shard, change);
        const [what, letterId] = change.op.split(":");
        if (reply.outcome === "ok" && what !== undefined && letterId !== undefined) waiting.get(what)?.(letterId);
        return reply;
      },
    };
  }
}
