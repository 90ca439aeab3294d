import { setTimeout as wait } from "node:timers/promises";
import type { Channel, ChannelModel } from "amqplib";
import type { PipelineLog } from "../pipeline-log.ts";
import { backoffMs } from "./backoff.ts";
import { brokerAnswer } from "./broker-answer.ts";
import { channelFault, type GuardedChannel, guardedChannel } from "./guarded-channel.ts";
import type { Link, Session } from "./link.ts";

/** One of the successive channels of a steady channel. On the next channel, the same delivery tag means another delivery. */
export interface Generation<C extends Channel> extends GuardedChannel<C> {
  readonly session: Session;
}

/** The purpose of a channel, and how it begins. */
export interface ChannelLife<C extends Channel> {
  /** The name for the log and errors. */
  readonly name: string;
  readonly create: (model: ChannelModel) => Promise<C>;
  /** Declares and consumes. It runs again on each new channel. */
  readonly begin: (generation: Generation<C>) => Promise<void>;
}

/** A channel that is opened again whenever it or its connection is lost. The retries back off and never end. */
export interface SteadyChannel {
  /** True while the channel is open. It is false from a loss until the next channel has begun. */
  readonly open: boolean;
  /** Closes the channel for good, within seconds. A second call is safe. */
  close(): Promise<void>;
}

export interface SteadyChannelOptions {
  readonly link: Link;
  readonly log: PipelineLog;
  /** Returns a random number from 0 up to 1. */
  readonly random: () => number;
}

/** Opens a steady channel. Rejects with `BusUnavailable` if the first channel does not begin. It retries only later channels. */
export async function openSteadyChannel<C extends Channel>(
  { link, log, random }: SteadyChannelOptions,
  life: ChannelLife<C>,
): Promise<SteadyChannel> {
  const ending = new AbortController();
  let current: Generation<C> | null = null;
  let closing: Promise<void> | null = null;

  const session = await link.session(AbortSignal.timeout(CONNECTION_MS));
  const first = await begin(session);
  // The part resolves after one try, so that the link counts as up even if this channel cannot begin.
  const detach = link.attach(async (next) => void keep(next, await tried(next)), session);
  void keep(session, first);
  return {
    get open() {
      return current !== null && !current.gone.aborted && !current.session.gone.aborted;
    },
    close: () => (closing ??= close()),
  };

  /** Keeps a channel open as long as the connection lasts. */
  async function keep(on: Session, begun: Generation<C> | null): Promise<void> {
    const over = AbortSignal.any([on.gone, ending.signal]);
    let generation = begun;
    let failures = 0;
    for (;;) {
      if (generation) await aborted(generation.gone);
      if (over.aborted) return;
      if (generation) log.warn({ channel: life.name, ...channelFault(generation.fault) }, "a channel was closed; it is opened again");
      failures = generation ? 0 : failures + 1;
      await wait(backoffMs(failures + 1, random), undefined, { signal: over }).catch(() => undefined);
      if (over.aborted) return;
      generation = await tried(on);
      if (generation) log.warn({ channel: life.name }, "a channel is open again");
    }
  }

  async function tried(on: Session): Promise<Generation<C> | null> {
    try {
      return await begin(on);
    } catch (error) {
      if (!on.gone.aborted && !ending.signal.aborted)
        log.error({ channel: life.name, ...channelFault(error) }, "a channel cannot be used; it is retried");
      return null;
    }
  }

  async function begin(on: Session): Promise<Generation<C>> {
    const over = AbortSignal.any([on.gone, ending.signal]);
    const guarded = guardedChannel(await brokerAnswer(life.name, over, () => life.create(on.model)), log);
    const generation: Generation<C> = Object.assign(guarded, { session: on });
    try {
      await brokerAnswer(life.name, over, () => life.begin(generation));
    } catch (error) {
      void generation.end();
      throw error;
    }
    if (ending.signal.aborted) void generation.end();
    current = generation;
    return generation;
  }

  async function close(): Promise<void> {
    ending.abort();
    detach();
    await current?.end();
  }
}

/** How long the first channel waits for a connection. */
const CONNECTION_MS = 10_000;

function aborted(signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  if (signal.aborted) resolve();
  else signal.addEventListener("abort", () => resolve(), { once: true });
  return promise;
}
