import { topics } from "@toolbus/contracts";
import { BusUnavailable } from "../message-bus.ts";
import { silentPipelineLog } from "../pipeline-log.ts";
import { declareQueue } from "./declare.ts";
import { dial, type Dialled } from "./dial.ts";
import type { NatsSettings } from "./nats-url.ts";
import { natsStreams } from "./rights.ts";
import { DEFAULT_TIMINGS } from "./timings.ts";

/**
 * Makes the streams, and the consumers of these topics and of their dead letters. Repeating it is safe. Rejects with `BusUnavailable` if it fails.
 */
export async function setUpNats(settings: NatsSettings, queues: readonly string[]): Promise<void> {
  const { nc, jsm } = await dialled(settings);
  try {
    const options = { ...settings, ackWaitMs: DEFAULT_TIMINGS.ackWaitMs, log: silentPipelineLog };
    for (const topic of queues.flatMap((each) => [each, topics.dead(each)])) await declareQueue(jsm, topic, options);
  } finally {
    await nc.close();
  }
}

/** Removes everything that `setUpNats` makes. */
export async function removeNats(settings: NatsSettings): Promise<void> {
  const { nc, jsm } = await dialled(settings);
  try {
    for (const { name } of natsStreams(settings.namespace, settings)) await jsm.streams.delete(name).catch(() => undefined);
  } finally {
    await nc.close();
  }
}

/** Opens one connection with the login of the settings. Rejects with `BusUnavailable` if it fails. */
export async function dialled(settings: NatsSettings): Promise<Dialled> {
  const outcome = await dial(settings, { ...DEFAULT_TIMINGS, confirmMs: ANSWER_MS });
  if (outcome.kind === "open") return outcome.dialled;
  throw new BusUnavailable(outcome.reason);
}

const ANSWER_MS = 10_000;
